import { result, transact } from "./database.js";

/**
 * @typedef {import("./store.js").Store} Store
 */

/**
 * A refused operation, waiting for a person.
 * @typedef {object} Refused
 * @property {number} entry
 * @property {string} key the record
 * @property {string} code why, in one word
 * @property {string} message the server's words
 * @property {Record<string, any>} fields what was wanted, as on the wire
 * @property {boolean} creates
 * @property {boolean} deletes
 * @property {number} at when it was refused
 * @property {number | null} behind the entry that it goes with
 * @property {string} held the core's own form
 */

/**
 * Puts the inbox entries of an answer, in the order they stood; what stood behind a creation goes
 * with it from then on.
 * @param {IDBTransaction} tx
 * @param {{ header: any, pieces: string[] }} answer
 */
export async function putRejections(tx, answer) {
  const { records, rejections } = answer.header;
  if (rejections === 0) return;
  const store = tx.objectStore("inbox");
  /** @type {Map<string, number>} */
  const creations = new Map();
  for (const held of answer.pieces.slice(-1 - rejections, -1)) {
    const { code, message, row } = JSON.parse(held);
    const { table, record, creates, deleted, fields } = row.operation;
    const key = `${table}/${record}`;
    const wanted = Object.fromEntries(
      Object.entries(fields ?? {}).map(([name, change]) => [name, change.value]),
    );
    const entry = {
      key, code, message, fields: wanted, creates: creates === true,
      deletes: deleted !== undefined, at: Date.now(), behind: creations.get(key) ?? null, held,
    };
    const number = Number(await result(store.add(entry)));
    if (creates === true && !creations.has(key)) creations.set(key, number);
  }
}

/**
 * Everything that waits in the inbox of refused changes, oldest first.
 * @param {Store} store
 * @returns {Promise<Refused[]>}
 */
export function refusedChanges(store) {
  return transact(store.database, ["inbox"], "readonly", "relaxed", (tx) =>
    result(tx.objectStore("inbox").getAll()),
  );
}

/**
 * An entry that is still there, and those that go with it.
 * @param {IDBTransaction} tx
 * @param {number} entry
 * @returns {Promise<Refused[]>}
 */
async function group(tx, entry) {
  const entries = await result(tx.objectStore("inbox").getAll());
  return entries.filter((one) => one.entry === entry || one.behind === entry);
}

/**
 * Makes a refused change once more, or another one in its place where edits are given.
 * @param {Store} store
 * @param {number} entry
 * @param {Record<string, { set: unknown }>} [edits]
 */
export function retryRefused(store, entry, edits) {
  return store.write(async (tx) => {
    const entries = await group(tx, entry);
    if (entries.length === 0) return { value: false, keys: [] };
    const call = edits ? { call: "replace", edits } : { call: "retry" };
    const refused = entries.map((one) => one.held);
    const { keys } = await store.callOn(tx, call, [entries[0].key], refused);
    for (const one of entries) tx.objectStore("inbox").delete(one.entry);
    return { value: true, keys };
  });
}

/**
 * Forgets a refused change; the list shows what lies below it already.
 * @param {Store} store
 * @param {number} entry
 */
export function discardRefused(store, entry) {
  return store.write(async (tx) => {
    const entries = await group(tx, entry);
    for (const one of entries) tx.objectStore("inbox").delete(one.entry);
    return { value: entries.length > 0, keys: entries.map((one) => one.key) };
  });
}

/**
 * A value of this device that lost to one whose writer had not seen it.
 * @typedef {object} Lost
 * @property {string} key the conflict's own record
 * @property {string} record the record it is about
 * @property {string} field
 * @property {any} lost as on the wire
 * @property {any} kept as on the wire; none where the record was deleted
 * @property {string} keptBy the name of the device whose value was kept
 * @property {number} time
 */

/**
 * The conflicts that are addressed to this device.
 * @param {Store} store
 * @returns {Promise<Lost[]>}
 */
export async function lostValues(store) {
  const stores = ["meta", "held", "shown", "names"];
  return transact(store.database, stores, "readonly", "relaxed", async (tx) => {
    const device = JSON.parse(await result(tx.objectStore("meta").get("device")));
    const own = new Set([device.replica, ...(device.earlier ?? [])]);
    const range = IDBKeyRange.bound("c_conflict/", "c_conflict0");
    const rows = await result(tx.objectStore("shown").getAll(range));
    const found = [];
    for (const { key, fields, isGone } of rows) {
      if (isGone || !fields?.devices?.some((/** @type {string} */ one) => own.has(one))) continue;
      const held = await result(tx.objectStore("held").get(key));
      const replica = writerOf(JSON.parse(held).base, "kept");
      const name = replica ? await result(tx.objectStore("names").get(replica)) : undefined;
      found.push({
        key, record: `${fields.table}/${fields.record}`, field: fields.field, lost: fields.lost,
        kept: fields.kept, keptBy: name ?? "", time: Number(fields.time?.t ?? 0),
      });
    }
    return found;
  });
}

/**
 * The replica that wrote a field: from its origin, else from its stamp.
 * @param {any} base
 * @param {string} field
 * @returns {string | undefined}
 */
function writerOf(base, field) {
  for (const stamps of [base?.origins, base?.stamps]) {
    for (const [stamp, names] of Object.entries(stamps ?? {})) {
      if (names === "*" || names.includes(field)) return stamp.slice(18);
    }
  }
  return undefined;
}

/**
 * Writes a lost value once more, and puts the conflict away.
 * @param {Store} store
 * @param {Lost} lost
 */
export function restoreLost(store, lost) {
  return store.write(async (tx) => {
    const { keys } = await store.callOn(tx, { call: "restore" }, [lost.key, lost.record]);
    return { value: undefined, keys };
  });
}

/**
 * Puts a conflict away.
 * @param {Store} store
 * @param {Lost} lost
 */
export function dismissLost(store, lost) {
  const [table, id] = lost.key.split("/");
  return store.write(async (tx) => {
    const { key } = await store.edit(tx, { action: "delete", table, id, feed: "" });
    return { value: undefined, keys: [key] };
  });
}
