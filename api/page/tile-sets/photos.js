// A photo of one row, from the camera in the page, the device's own, or a file.
import { hasCamera, openCamera } from "../js/photo/camera.js";
import { byId } from "../js/shell/dom.js";
import { t } from "../js/shell/i18n.js";
import { prepare } from "../js/photo/photo.js";

/** Have a photo taken; `taken(photo)` gets it ready to send and show. */
export function photographRow(taken, fail) {
  const own = () => chooseFile("camera-file", taken, fail);
  if (hasCamera()) openCamera({ guide: t("cameraRow"), single: true, onDone: ([file]) => ready(file, taken, fail), onUnable: own });
  else own();
}

export function chooseFile(input, taken, fail) {
  const field = byId(input);
  field.onchange = () => {
    const [file] = field.files;
    field.value = "";
    if (file) ready(file, taken, fail);
  };
  field.click();
}

async function ready(file, taken, fail) {
  try {
    taken(await prepare(file, file.name || "row.jpg", true));
  } catch (error) {
    fail(error);
  }
}
