// Random numbers as 32 hex digits: ids of commands, and this browser's part of a game's chance.

export function randomHex() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
