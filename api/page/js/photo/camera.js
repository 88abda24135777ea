// The camera in the page: a frame to lay the hand into, a shutter under the thumb. Several shots make one hand.
import { byId, h, icon } from "../shell/dom.js";
import { t } from "../shell/i18n.js";

/** False on plain HTTP and in browsers without it: the device's own camera is asked for instead. */
export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

const WANTED = { width: { ideal: 2560 }, height: { ideal: 1440 } };
let stream = null;

/**
 * Open the camera. `onDone(files)` takes the shots, JPEG files in the order taken; `onUnable()` is called where there is no camera
 * or it may not be used; `guide` says above the picture what to photograph; `single` ends with the first shot.
 */
export async function openCamera({ onDone, onUnable, guide = t("cameraGuide"), single = false }) {
  const dialog = byId("camera");
  try {
    await start({ facingMode: { ideal: "environment" } });
  } catch {
    onUnable();
    return;
  }
  const shots = [];
  const video = h("video", { autoplay: true, playsinline: true, muted: true, "aria-label": t("cameraPicture") });
  video.muted = true;
  const count = h("span", { class: "shot-count", role: "status" });
  const close = () => {
    stop(); // before the camera's picture is gone from the screen, not some time after
    dialog.close();
  };
  const finish = () => {
    if (shots.length) onDone(shots);
    close();
  };
  const take = async () => {
    shots.push(await shot(video, shots.length + 1));
    if (single) {
      finish();
      return;
    }
    last.replaceChildren(h("img", { src: URL.createObjectURL(shots[shots.length - 1]), alt: "" }));
    count.textContent = t("shots", { n: shots.length });
    use.hidden = false;
    use.focus();
  };
  const shutter = h("button", { type: "button", class: "shutter", id: "shutter", "aria-label": t("shutter"), disabled: true, onclick: take });
  const last = h("span", { class: "last-shot", "aria-hidden": "true" });
  const use = h("button", { type: "button", class: "button primary", id: "use-shots", hidden: true, onclick: finish }, t("useShots"));
  const swap = h("button", { type: "button", class: "tool", id: "swap-camera", "aria-label": t("otherCamera"), onclick: () => turn(video) }, icon("swap"));
  const light = h("button", { type: "button", class: "tool", id: "torch", "aria-label": t("torch"), "aria-pressed": "false", hidden: true, onclick: () => torch(light) }, icon("torch"));
  video.addEventListener("playing", () => { shutter.disabled = false; }, { once: true });
  dialog.replaceChildren(
    h("div", { class: "camera-top" },
      h("p", { class: "camera-guide" }, guide), light, swap,
      h("button", { type: "button", class: "tool", id: "close-camera", "aria-label": t("close"), onclick: close }, icon("close"))),
    h("div", { class: "finder" }, video, h("div", { class: "frame", "aria-hidden": "true" })),
    h("div", { class: "camera-foot" }, h("div", { class: "shots" }, last, count), shutter, use),
  );
  show(video, light, swap);
  dialog.addEventListener("cancel", stop, { once: true }); // Escape, or the phone's way back
  dialog.addEventListener("close", stop, { once: true });
  dialog.showModal();
  shutter.focus();
}

async function start(wanted) {
  stop();
  stream = await navigator.mediaDevices.getUserMedia({ video: { ...WANTED, ...wanted }, audio: false });
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  byId("camera").replaceChildren();
}

/** Let the picture run, and offer what this camera can. */
async function show(video, light, swap) {
  video.srcObject = stream;
  light.hidden = !stream.getVideoTracks()[0].getCapabilities?.().torch;
  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "videoinput");
  swap.hidden = cameras.length < 2;
}

/** The next of the device's cameras. */
async function turn(video) {
  const now = stream.getVideoTracks()[0].getSettings().deviceId;
  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "videoinput");
  const next = cameras[(cameras.findIndex((one) => one.deviceId === now) + 1) % cameras.length];
  for (const track of stream.getTracks()) track.stop(); // many phones open one camera at a time
  const other = await navigator.mediaDevices.getUserMedia({ video: { ...WANTED, deviceId: { exact: next.deviceId } }, audio: false });
  if (!video.isConnected) { // closed meanwhile
    for (const track of other.getTracks()) track.stop();
    return;
  }
  stream = other;
  video.srcObject = stream;
}

async function torch(button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  await stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: on }] });
  button.setAttribute("aria-pressed", String(on));
}

/** The picture as it is now, at the camera's own resolution. */
async function shot(video, number) {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d").drawImage(video, 0, 0);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  return new File([blob], `photo-${number}.jpg`, { type: "image/jpeg" });
}
