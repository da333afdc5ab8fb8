/** Bytes as base64 text, in a browser and in Node: what a frame carries that would be twice as long in hex. */
const chunk = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += chunk) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunk));
  }
  return btoa(text);
}

/** The text must be base64: a decoder of frames has checked it. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
