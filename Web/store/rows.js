import { result, transact } from "./database.js";

/**
 * What a screen shows of a record.
 * @typedef {object} Shown
 * @property {string} key table and id
 * @property {string} table
 * @property {string} id
 * @property {string} feed
 * @property {Record<string, any>} [fields] its values as on the wire; none where it is gone
 * @property {string[]} [changed] the fields with changes that wait
 * @property {boolean} [isGone] deleted here, and the deletion still waits
 * @property {number} [line] its place in line, where something waits
 * @property {number} [due] when its turn is, in milliseconds since 1970
 * @property {string} [operation] what goes next
 * @property {boolean} [isInFlight] whether that is under way
 */

/**
 * Puts records as a call gave them: what is held, then what is shown, for each.
 * @param {IDBTransaction} tx
 * @param {string[]} pieces
 * @param {number} count
 * @returns {string[]} their keys
 */
export function absorbRecords(tx, pieces, count) {
  const helds = tx.objectStore("held");
  const showns = tx.objectStore("shown");
  const keys = [];
  for (let index = 0; index < count; index += 1) {
    const held = pieces[2 * index];
    const shown = pieces[2 * index + 1];
    const row = shown === "" ? showBase(held) : { key: "", ...JSON.parse(shown) };
    row.key = `${row.table}/${row.id}`;
    keys.push(row.key);
    if (held === "null") helds.delete(row.key);
    else helds.put(held, row.key);
    if (row.isGone && row.line === undefined) showns.delete(row.key);
    else showns.put(row);
  }
  return keys;
}

/**
 * What is shown of a record over which nothing lies.
 * @param {string} held
 * @returns {Shown}
 */
function showBase(held) {
  const { table, id, feed, base } = JSON.parse(held);
  const isGone = base.deleted !== undefined;
  return { key: "", table, id, feed, ...(isGone ? { isGone } : { fields: base.fields ?? {} }) };
}

/** How many rows are read at once. */
const part = 500;

/**
 * Reads what is shown of a table, a part at a time.
 * @param {IDBDatabase} database
 * @param {string} table
 * @param {(part: Shown[]) => void} onPart
 */
export async function allOfTable(database, table, onPart) {
  let after = `${table}/`;
  for (;;) {
    const range = IDBKeyRange.bound(after, `${table}0`, true, true);
    const rows = await transact(database, ["shown"], "readonly", "relaxed", (tx) =>
      result(tx.objectStore("shown").getAll(range, part)),
    );
    if (rows.length > 0) onPart(rows);
    if (rows.length < part) return;
    after = rows[rows.length - 1].key;
  }
}

/**
 * The records with something in line, oldest first.
 * @param {IDBTransaction} tx
 * @param {number} [limit]
 * @returns {Promise<Shown[]>}
 */
export function inLine(tx, limit) {
  return result(tx.objectStore("shown").index("line").getAll(null, limit));
}

/**
 * Which records have something in line, oldest first.
 * @param {IDBTransaction} tx
 * @param {number} [limit]
 * @returns {Promise<string[]>}
 */
export async function keysInLine(tx, limit) {
  const keys = await result(tx.objectStore("shown").index("line").getAllKeys(null, limit));
  return /** @type {string[]} */ (keys);
}
