import { result } from "../store/database.js";
import { blank, bookOf, editsOf, feed, table } from "./book.js";

/**
 * @typedef {import("./book.js").Book} Book
 * @typedef {import("../store/store.js").Store} Store
 */

/** The books of this device in memory, as the database shows them, and what a person does. */
export class Books extends EventTarget {
  /** @param {Store} store */
  constructor(store) {
    super();
    this.store = store;
    /** @type {Map<string, Book>} */
    this.all = new Map();
    this.isLoaded = false;
    store.addEventListener("news", (event) => {
      const { keys } = /** @type {CustomEvent} */ (event).detail;
      if (keys) this.reread(keys);
    });
  }

  /** Reads all books, a part at a time. */
  async load() {
    await this.store.readTable(table, (part) => {
      for (const shown of part) if (!shown.isGone) this.all.set(shown.key, bookOf(shown));
      this.tell();
    });
    this.isLoaded = true;
    this.tell();
  }

  /**
   * Reads what has changed.
   * @param {string[]} keys
   */
  async reread(keys) {
    const own = keys.filter((key) => key.startsWith(`${table}/`));
    const shown = await this.store.readShown(own);
    for (const key of own) {
      const row = shown.get(key);
      if (!row || row.isGone) this.all.delete(key);
      else this.all.set(key, bookOf(row));
    }
    this.dispatchEvent(new CustomEvent("change", { detail: own }));
  }

  tell() {
    this.dispatchEvent(new CustomEvent("change", { detail: null }));
  }

  /**
   * Adds a book.
   * @param {Partial<Book>} values
   * @returns {Promise<string>} its key
   */
  add(values) {
    const edits = editsOf({ ...blank, ...values });
    return this.store.write(async (tx) => {
      const { key } = await this.store.edit(tx, { action: "create", table, feed, edits });
      return { value: key, keys: [key] };
    });
  }

  /**
   * Changes a book; only fields that really differ are stamped and sent.
   * @param {string} id
   * @param {Partial<Book>} values
   */
  change(id, values) {
    const edits = editsOf(values);
    return this.store.write(async (tx) => {
      const { key } = await this.store.edit(tx, { action: "change", table, id, feed, edits });
      return { value: key, keys: [key] };
    });
  }

  /**
   * Ticks a book as read, now, or takes the tick away.
   * @param {Book} book
   * @param {boolean} isRead
   */
  tick({ id }, isRead) {
    return this.change(id, { read: isRead, readAt: isRead ? Date.now() : null });
  }

  /**
   * Deletes a book on all devices.
   * @param {Book} book
   */
  remove({ id }) {
    return this.store.write(async (tx) => {
      const { key, before } = await this.store.edit(tx, { action: "delete", table, id, feed });
      tx.objectStore("undo").put(before?.fields ?? {}, key);
      return { value: key, keys: [key] };
    });
  }

  /**
   * Takes a deletion back, or adds the book again where it has left the device.
   * @param {string} key
   * @returns {Promise<{ isNew: boolean }>}
   */
  undoRemove(key) {
    const id = key.slice(table.length + 1);
    return this.store.write(async (tx) => {
      const undo = tx.objectStore("undo");
      const fields = await result(undo.get(key));
      undo.delete(key);
      const withdrawn = await this.store.edit(tx, { action: "withdraw", table, id, feed });
      if (withdrawn.header.isChanged) return { value: { isNew: false }, keys: [key] };
      const edits = Object.fromEntries(
        Object.entries(fields ?? {}).map(([name, value]) => [name, { set: value }]),
      );
      const added = await this.store.edit(tx, { action: "create", table, feed, edits });
      return { value: { isNew: true }, keys: [key, added.key] };
    });
  }
}
