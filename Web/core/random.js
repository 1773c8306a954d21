/**
 * 128 random bits, written as an id.
 * @returns {string}
 */
export function randomID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32]
    .map((end, index, ends) => digits.slice(index === 0 ? 0 : ends[index - 1], end))
    .join("-");
}
