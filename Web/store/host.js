/**
 * What is kept outside the database: under which identity it wrote, and how often. A database that
 * was put back or copied does not fit it, and takes a new identity.
 */

/**
 * @param {string} owner
 * @param {string} replica
 * @param {number} number
 */
export function writeHost(owner, replica, number) {
  try {
    localStorage.setItem(`commute:host:${owner}`, JSON.stringify({ replica, number }));
  } catch {
    // Where nothing can be kept outside, every opening takes a new identity.
  }
}

/**
 * @param {string} owner
 * @returns {{ replica: string, number: number } | null}
 */
export function readHost(owner) {
  try {
    const host = JSON.parse(localStorage.getItem(`commute:host:${owner}`) ?? "null");
    return host && typeof host.replica === "string" ? host : null;
  } catch {
    return null;
  }
}
