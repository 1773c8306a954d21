/**
 * Values as they stand on the wire, and as a script uses them.
 *
 * A whole number of 64 bits is text on the wire. Here it becomes a number where that is exact, and
 * stays text where it is not.
 */

/**
 * @typedef {null | boolean | string | string[] | { i: string } | { d: number } | { t: string }
 *   | { b: string } | Record<string, unknown>} WireValue
 */

/**
 * The value as a script uses it.
 * @param {WireValue | undefined} value
 * @returns {any}
 */
export function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (typeof value.i === "string") return exact(value.i);
  if (typeof value.t === "string") return exact(value.t);
  if (typeof value.d === "number") return value.d;
  return value;
}

/** @param {string} text */
function exact(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * A whole number for the wire.
 * @param {number | null} number
 */
export const integer = (number) => (number === null ? null : { i: String(number) });

/**
 * A moment for the wire, in milliseconds since 1970.
 * @param {number | null} moment
 */
export const instant = (moment) => (moment === null ? null : { t: String(moment) });
