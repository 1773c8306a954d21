/** Where the token and the account lie; the token is in no database that is synced. */
const place = "commute:account";

/**
 * @typedef {{ owner: string, token: string | null }} Account
 */

/**
 * The account that was used last; at first that of a server without tokens.
 * @returns {Account}
 */
export function currentAccount() {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "null");
    if (kept && typeof kept.owner === "string") return kept;
  } catch {
    // Nothing that can be read is no account.
  }
  return { owner: "local/local", token: null };
}

/** @param {Account} account */
export function keepAccount(account) {
  localStorage.setItem(place, JSON.stringify(account));
}

/**
 * Reads what a person pasted: a token with the account before it, as `tenant user token`, or a
 * token alone, which then belongs to the account that is named beside it.
 * @param {string} pasted
 * @param {string} owner tenant and user with a slash between them
 * @returns {Account | null}
 */
export function readToken(pasted, owner) {
  const words = pasted.trim().split(/\s+/);
  if (words.length === 3) return { owner: `${words[0]}/${words[1]}`, token: words[2] };
  if (words.length !== 1 || words[0] === "" || !/^[^/]+\/.+$/.test(owner)) return null;
  return { owner, token: words[0] };
}
