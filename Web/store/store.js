import { openDatabase, result, transact } from "./database.js";
import { writeHost, readHost } from "./host.js";
import { absorbRecords, allOfTable } from "./rows.js";

/**
 * @typedef {import("./rows.js").Shown} Shown
 * @typedef {import("../core/core.js").Core} Core
 */

/** What a local change touches. */
const written = ["meta", "held", "shown", "undo", "inbox"];

/**
 * The local database of one account: every change is one transaction with the core's call inside,
 * and is shown when that transaction is complete.
 */
export class Store extends EventTarget {
  /**
   * @param {Core} core
   * @param {IDBDatabase} database
   * @param {string} owner
   */
  constructor(core, database, owner) {
    super();
    this.core = core;
    this.database = database;
    this.owner = owner;
    this.channel = new BroadcastChannel(`commute:${owner}`);
    this.channel.onmessage = ({ data }) => this.tell(data, false);
  }

  /**
   * Opens the database of an account, and decides as whom it writes.
   * @param {Core} core
   * @param {string} owner tenant and user with a slash between them
   * @param {string} feed the feed it subscribes to
   */
  static async open(core, owner, feed) {
    /** @type {Store | undefined} */
    let store;
    const database = await openDatabase(`commute:${owner}`, () =>
      store?.dispatchEvent(new Event("outdated")),
    );
    store = new Store(core, database, owner);
    await store.openDevice(feed);
    return store;
  }

  /** @param {string} feed */
  async openDevice(feed) {
    const device = await transact(this.database, ["meta"], "readwrite", "strict", async (tx) => {
      const meta = tx.objectStore("meta");
      const known = await result(meta.get("device"));
      const host = known ? readHost(this.owner) : null;
      const answer = this.core.call({ call: "open", owner: this.owner, feed, host }, [
        known ?? "null",
      ]);
      meta.put(answer.pieces[0], "device");
      return JSON.parse(answer.pieces[0]);
    });
    writeHost(this.owner, device.replica, device.number);
  }

  /**
   * Runs a body in one transaction over what local changes touch, and tells everybody.
   * @template Result
   * @param {(tx: IDBTransaction) => Promise<{ value: Result, keys: string[] }>} body
   * @returns {Promise<Result>}
   */
  async write(body) {
    const { value, keys } = await transact(
      this.database, written, "readwrite", "relaxed", body,
    );
    if (keys.length > 0) this.announce({ kind: "edited", keys });
    return value;
  }

  /**
   * Makes, changes or deletes a record inside a transaction.
   * @param {IDBTransaction} tx
   * @param {{ action: string, table: string, id?: string, feed: string, edits?: object }} edit
   * @returns {Promise<{ key: string, before: Shown | undefined, header: any }>}
   */
  async edit(tx, edit) {
    const key = edit.id ? `${edit.table}/${edit.id}` : "";
    const [device, held, before] = await Promise.all([
      result(tx.objectStore("meta").get("device")),
      edit.id ? result(tx.objectStore("held").get(key)) : undefined,
      edit.id ? result(tx.objectStore("shown").get(key)) : undefined,
    ]);
    const answer = this.core.call({ call: "edit", ...edit }, [device, held ?? "null"]);
    const keys = this.save(tx, answer);
    return { key: keys[0], before, header: answer.header };
  }

  /**
   * Saves what a call gave back: records, then other pieces, then the device.
   * @param {IDBTransaction} tx
   * @param {{ header: any, pieces: string[] }} answer
   * @returns {string[]} the keys of the records
   */
  save(tx, answer) {
    const device = answer.pieces.at(-1);
    if (device) tx.objectStore("meta").put(device, "device");
    return absorbRecords(tx, answer.pieces, answer.header.records);
  }

  /**
   * Carries out a call on records that are held, and saves what comes back.
   * @param {IDBTransaction} tx
   * @param {Record<string, unknown>} header
   * @param {string[]} keys the records; one that is not held counts as none
   * @param {string[]} [others] pieces behind them
   */
  async callOn(tx, header, keys, others = []) {
    const held = tx.objectStore("held");
    const [device, ...records] = await Promise.all([
      result(tx.objectStore("meta").get("device")),
      ...keys.map((key) => result(held.get(key))),
    ]);
    const pieces = [device, ...records.map((record) => record ?? "null"), ...others];
    const answer = this.core.call(header, pieces);
    return { answer, keys: this.save(tx, answer) };
  }

  /**
   * What a screen shows of all records of a table, a part at a time so that nothing waits long.
   * @param {string} table
   * @param {(part: Shown[]) => void} onPart
   */
  async readTable(table, onPart) {
    await allOfTable(this.database, table, onPart);
  }

  /**
   * What a screen shows of some records; a record that is gone is left out.
   * @param {string[]} keys
   * @returns {Promise<Map<string, Shown>>}
   */
  async readShown(keys) {
    const found = new Map();
    await transact(this.database, ["shown"], "readonly", "relaxed", async (tx) => {
      const shown = tx.objectStore("shown");
      const rows = await Promise.all(keys.map((key) => result(shown.get(key))));
      for (const row of rows) if (row) found.set(row.key, row);
    });
    return found;
  }

  /** How many changes wait here. */
  async waiting() {
    return transact(this.database, ["shown"], "readonly", "relaxed", (tx) =>
      result(tx.objectStore("shown").index("line").count()),
    );
  }

  /**
   * Reads a value of the device's own.
   * @param {string} name
   */
  async setting(name) {
    return transact(this.database, ["meta"], "readonly", "relaxed", (tx) =>
      result(tx.objectStore("meta").get(name)),
    );
  }

  /**
   * Keeps a value of the device's own.
   * @param {string} name
   * @param {unknown} value
   */
  async set(name, value) {
    await transact(this.database, ["meta"], "readwrite", "relaxed", async (tx) => {
      tx.objectStore("meta").put(value, name);
    });
    this.announce({ kind: "setting", name });
  }

  /**
   * Tells this tab and the others what has changed; never the content.
   * @param {{ kind: string, keys?: string[], name?: string }} news
   */
  announce(news) {
    this.channel.postMessage(news);
    this.tell(news, true);
  }

  /**
   * @param {{ kind: string, keys?: string[], name?: string }} news
   * @param {boolean} isOwn
   */
  tell(news, isOwn) {
    this.dispatchEvent(new CustomEvent("news", { detail: { ...news, isOwn } }));
  }

  /** Closes the database; the store is of no use afterwards. */
  close() {
    this.channel.close();
    this.database.close();
  }
}
