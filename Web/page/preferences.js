/**
 * What this browser remembers about the page itself, in every account.
 * @param {"language" | "look"} name
 * @returns {string | null}
 */
export function preference(name) {
  try {
    return localStorage.getItem(`commute:${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {"language" | "look"} name
 * @param {string} value
 */
export function setPreference(name, value) {
  localStorage.setItem(`commute:${name}`, value);
}
