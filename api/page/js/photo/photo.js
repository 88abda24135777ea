// Photos on this side: opened, scaled down and turned before they are sent.
import { OfflineError, upright } from "../service/api.js";

/** Longest side sent to the service, pixels. */
export const LONGEST_SIDE = 2400;

/**
 * A photo ready to send and show: {blob, url, width, height, name}. What this browser cannot open, such as HEIC, the service turns
 * into JPEG; while the service is away such a photo is kept as it is, unseen, with width and height 0, unless it `mustShow`.
 */
export async function prepare(file, name = file.name || "photo.jpg", mustShow = false) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return developed(file, name, mustShow);
  }
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && ["image/jpeg", "image/png", "image/webp"].includes(file.type)) return describe(file, bitmap, name);
  return draw(bitmap, Math.round(bitmap.width * scale), Math.round(bitmap.height * scale), 0, name);
}

async function developed(file, name, mustShow) {
  try {
    const blob = await upright(file, name, LONGEST_SIDE); // throws the service's problem for what is no photo
    return describe(blob, await createImageBitmap(blob), name);
  } catch (error) {
    if (mustShow || !(error instanceof OfflineError)) throw error;
    return { blob: file, url: "/page/icon.svg", width: 0, height: 0, name };
  }
}

/** The photo turned a quarter to the right. */
export async function rotated(photo) {
  const bitmap = await createImageBitmap(photo.blob, { imageOrientation: "from-image" });
  return draw(bitmap, bitmap.height, bitmap.width, 1, photo.name);
}

async function draw(bitmap, width, height, quarterTurns, name) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  if (quarterTurns) {
    context.translate(width, 0);
    context.rotate(Math.PI / 2);
    context.drawImage(bitmap, 0, 0, height, width);
  } else {
    context.drawImage(bitmap, 0, 0, width, height);
  }
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  bitmap.close();
  return { blob, url: URL.createObjectURL(blob), width, height, name };
}

function describe(blob, bitmap, name) {
  const { width, height } = bitmap;
  bitmap.close();
  return { blob, url: URL.createObjectURL(blob), width, height, name };
}

/** The part of a photo under a box, on a canvas for the sheet. */
export function crop(image, box, canvas) {
  const [x0, y0, x1, y1] = box;
  const margin = 0.12 * Math.max(x1 - x0, y1 - y0);
  const x = Math.max(0, x0 - margin);
  const y = Math.max(0, y0 - margin);
  const width = Math.min(image.naturalWidth, x1 + margin) - x;
  const height = Math.min(image.naturalHeight, y1 + margin) - y;
  canvas.height = 200;
  canvas.width = Math.max(1, Math.round((200 * width) / height));
  canvas.getContext("2d").drawImage(image, x, y, width, height, 0, 0, canvas.width, canvas.height);
}

/** A small picture for the history, as a data URL; null for a photo that cannot be seen yet. */
export async function thumbnail(photo) {
  if (!photo.width) return null;
  const bitmap = await createImageBitmap(photo.blob, { imageOrientation: "from-image" });
  const scale = 240 / Math.max(bitmap.width, bitmap.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL("image/jpeg", 0.8);
}
