import { result, transact } from "./database.js";
import { writeHost } from "./host.js";
import { inLine, keysInLine } from "./rows.js";
import { putRejections } from "./inbox.js";

/**
 * @typedef {import("./store.js").Store} Store
 */

/** What a round touches. */
const all = ["meta", "held", "shown", "inbox", "seen", "names"];

/** How much of an answer is taken at once: little enough that no page stops scrolling. */
const pageBytes = 131_072;

/** How many records in line are looked at beyond those that a request takes. */
const spare = 100;

/**
 * A round that may be sent: everything in it is durable here.
 * @typedef {object} Round
 * @property {string} request
 * @property {string[]} keys the records whose operations it carries
 * @property {string[]} operations
 */

/**
 * Marks operations in flight and makes the request of them.
 *
 * The transaction is strict and writes those operations and their records again, so nothing
 * reaches the server before it is safe here.
 * @param {Store} store
 * @param {{ batch: number, build: string, device: string }} options
 * @returns {Promise<Round>}
 */
export async function beginRound(store, options) {
  const { round, device } = await transact(
    store.database, all, "readwrite", "strict", async (tx) => {
      const answer = await lineUp(store, tx, options, options.batch + spare);
      const { records: count, round: operations } = answer.header;
      const marked = store.save(tx, answer);
      const request = answer.pieces[2 * count];
      return { round: { request, keys: marked, operations }, device: answer.header };
    },
  );
  writeHost(store.owner, device.replica, device.number);
  return round;
}

/**
 * Lets the core choose and mark what goes, from as much of the line as that needs.
 * @param {Store} store
 * @param {IDBTransaction} tx
 * @param {{ batch: number, build: string, device: string }} options
 * @param {number} limit
 * @returns {Promise<{ header: any, pieces: string[] }>}
 */
async function lineUp(store, tx, options, limit) {
  const keys = await keysInLine(tx, limit);
  const held = tx.objectStore("held");
  const [device, ...records] = await Promise.all([
    result(tx.objectStore("meta").get("device")),
    ...keys.map((key) => result(held.get(key))),
  ]);
  const call = { call: "begin", limit: pageBytes, ...options };
  const answer = store.core.call(call, [device, ...records]);
  const isFound = answer.header.round.length > 0 || keys.length < limit;
  // What the first rows wait for may stand further behind.
  return isFound ? answer : lineUp(store, tx, options, limit * 4);
}

/**
 * Takes note that a round brought no answer; `settledNothing` says that the server did not look.
 * @param {Store} store
 * @param {Round} round
 * @param {boolean} settledNothing
 */
export async function abandonRound(store, round, settledNothing) {
  await transact(store.database, all, "readwrite", "relaxed", (tx) =>
    store.callOn(
      tx, { call: "abandon", more: settledNothing, round: round.operations }, round.keys,
    ),
  );
}

/**
 * Takes a lone operation out of the line for the inbox, or puts it off for some milliseconds.
 * @param {Store} store
 * @param {Round} round
 * @param {{ reason: string } | { limit: number }} how
 */
export async function setAside(store, round, how) {
  const call = "reason" in how ? "refuse" : "postpone";
  await transact(store.database, all, "readwrite", "strict", async (tx) => {
    const { answer } = await store.callOn(tx, { call, ...how }, round.keys.slice(0, 1));
    await putRejections(tx, answer);
  });
}

/**
 * What became of an answer.
 * @typedef {object} Applied
 * @property {"apply" | "ignored" | "renewed" | "newEpoch" | "stop"} reading
 * @property {string} [message] why the round was stopped
 * @property {boolean} more whether a round must follow at once
 * @property {number} done how much it brought
 * @property {string[]} keys the records that changed
 */

/**
 * Applies an answer in one transaction: verdicts, records, cursors.
 * @param {Store} store
 * @param {Round} round
 * @param {string} text the answer as it came
 * @param {number} roundTrip in milliseconds
 * @returns {Promise<Applied>}
 */
export async function applyAnswer(store, round, text, roundTrip) {
  const { applied, host } = await transact(
    store.database, all, "readwrite", "strict", async (tx) => {
      const line = await keysInLine(tx);
      const concerned = line.length === 0 ? [] : concernedBy(text, line, round);
      const held = tx.objectStore("held");
      const [device, ...records] = await Promise.all([
        result(tx.objectStore("meta").get("device")),
        ...concerned.map((key) => result(held.get(key))),
      ]);
      const answer = store.core.call(
        { call: "apply", roundTrip: Math.round(roundTrip), round: round.operations },
        [device, text, ...records],
      );
      const { header } = answer;
      const keys = store.save(tx, answer);
      await putRejections(tx, answer);
      if (header.reading === "newEpoch") keys.push(...(await offerAgain(store, tx, header, text)));
      if (header.reading === "apply") {
        for (const [replica, name] of header.devices) tx.objectStore("names").put(name, replica);
        keys.push(...(await takeTurns(store, tx, answer)));
        tx.objectStore("meta").put(Date.now(), "syncedAt");
      }
      const lowered = header.isAstray ? await lowerClock(store, tx) : null;
      const more =
        header.reading === "newEpoch" || header.reading === "renewed" ||
        (header.reading === "apply" &&
          (header.more || header.isCut || (await isMoreInLine(tx, round, header))));
      const done = header.records + (header.settled ?? 0) + header.rejections;
      return {
        applied: { reading: header.reading, message: header.message, more, done, keys },
        host: lowered ?? header,
      };
    },
  );
  if (host.replica) writeHost(store.owner, host.replica, host.number);
  if (applied.keys.length > 0) store.announce({ kind: "synced", keys: applied.keys });
  return applied;
}

/**
 * The records in line that an answer may be about.
 * @param {string} text
 * @param {string[]} line
 * @param {Round} round
 */
function concernedBy(text, line, round) {
  const told = new Set(round.keys);
  const answer = JSON.parse(text);
  const records = [...(answer.renew ?? [])];
  for (const feed of answer.feeds ?? []) records.push(...(feed.records ?? []));
  for (const { table, id } of records) told.add(`${table}/${id}`);
  return line.filter((key) => told.has(key));
}

/**
 * Whether something in line could go at once and did not in this round.
 * @param {IDBTransaction} tx
 * @param {Round} round
 * @param {any} header
 */
async function isMoreInLine(tx, round, header) {
  const sent = new Set(round.operations);
  const isResetOver = header.turns.some((/** @type {any} */ turn) => turn.ends);
  const now = Date.now();
  const line = await inLine(tx, round.operations.length + 500);
  return line.some(
    (row) => (row.due ?? 0) <= now && (isResetOver || !sent.has(row.operation ?? "")),
  );
}

/**
 * Carries out what a page asks for beside its records: resets and subscriptions that ended.
 * @param {Store} store
 * @param {IDBTransaction} tx
 * @param {{ header: any, pieces: string[] }} answer
 * @returns {Promise<string[]>}
 */
async function takeTurns(store, tx, answer) {
  const changed = [];
  for (const turn of answer.header.turns) {
    const seen = tx.objectStore("seen");
    const ofFeed = IDBKeyRange.bound([turn.feed, ""], [turn.feed, "\uffff"]);
    if (turn.turn === "reset") {
      if (turn.begins) seen.delete(ofFeed);
      for (const key of keysOfPage(answer, turn.feed)) seen.put(true, [turn.feed, key]);
      if (!turn.ends) continue;
      const told = await result(seen.getAllKeys(ofFeed));
      const kept = new Set(told.map((key) => /** @type {string[]} */ (key)[1]));
      changed.push(...(await leave(store, tx, turn.feed, { call: "sweep" }, kept)));
    } else if (turn.turn === "revoked") {
      const call = { call: "revoke", reason: turn.reason };
      changed.push(...(await leave(store, tx, turn.feed, call, new Set())));
    }
    seen.delete(ofFeed);
  }
  return changed;
}

/**
 * The records of a feed that a page told.
 * @param {{ header: any, pieces: string[] }} answer
 * @param {string} feed
 */
function keysOfPage(answer, feed) {
  const keys = [];
  for (let index = 0; index < answer.header.records; index += 1) {
    const held = answer.pieces[2 * index];
    if (held === "null") continue;
    const record = JSON.parse(held);
    if (record.feed === feed && record.base) keys.push(`${record.table}/${record.id}`);
  }
  return keys;
}

/**
 * Lets go of the records of a feed that nothing told.
 * @param {Store} store
 * @param {IDBTransaction} tx
 * @param {string} feed
 * @param {{ call: string, reason?: string }} call
 * @param {Set<string>} kept
 */
async function leave(store, tx, feed, call, kept) {
  const held = tx.objectStore("held");
  const keys = /** @type {string[]} */ (await result(held.getAllKeys()));
  const gone = keys.filter((key) => !kept.has(key));
  const records = await Promise.all(gone.map((key) => result(held.get(key))));
  const ofFeed = records.filter((record) => JSON.parse(record).feed === feed);
  const device = await result(tx.objectStore("meta").get("device"));
  const answer = store.core.call(call, [device, ...ofFeed]);
  const changed = store.save(tx, answer);
  await putRejections(tx, answer);
  return changed;
}

/**
 * Offers again what a server with another history may not hold.
 * @param {Store} store
 * @param {IDBTransaction} tx
 * @param {any} header
 * @param {string} text
 */
async function offerAgain(store, tx, header, text) {
  tx.objectStore("seen").clear();
  const records = await result(tx.objectStore("held").getAll());
  const device = await result(tx.objectStore("meta").get("device"));
  const answer = store.core.call({ call: "offer", known: header.known }, [
    device, text, ...records,
  ]);
  return store.save(tx, answer);
}

/**
 * Sets a clock back that was led astray, once nothing of the device's own is from the future.
 * @param {Store} store
 * @param {IDBTransaction} tx
 */
async function lowerClock(store, tx) {
  const held = tx.objectStore("held");
  const keys = await keysInLine(tx);
  const [device, entries, ...records] = await Promise.all([
    result(tx.objectStore("meta").get("device")),
    result(tx.objectStore("inbox").getAll()),
    ...keys.map((key) => result(held.get(key))),
  ]);
  const refused = entries.map((/** @type {any} */ entry) => entry.held);
  const answer = store.core.call({ call: "lower" }, [device, ...records, ...refused]);
  store.save(tx, answer);
  return answer.header;
}
