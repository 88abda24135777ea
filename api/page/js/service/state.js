// What the page shows now. session.js changes it, view.js draws it.

export const state = {
  photos: [], // [{blob, url, width, height, name}] of the hand, as they are sent
  shown: 0, // which of them
  reading: null,
  hand: null,
  answer: null,
  entry: null, // what store.js keeps of it
  error: null, // {error, again} or {words}
  zoomed: true,
  won: null, // Circumstances
  busy: null, // {stage, position, seconds} while a photo is read
  undo: [], // what the last corrections and answers can be taken back to, see session.js
};

let draw = () => {};

/** `act()` is called after each change. */
export const onChange = (act) => { draw = act; };
export const changed = () => draw();
