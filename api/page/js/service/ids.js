// Names for what is made on this device. crypto.randomUUID() is missing on plain HTTP, where clubs run this in their own network.

/** A random name, 32 hexadecimal digits. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
