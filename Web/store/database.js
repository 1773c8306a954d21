/** The tables of a device's database, in the version of their form. */
const version = 1;

/**
 * Opens the database of an account.
 *
 * When another tab wants a newer form, this one closes and says so: an old page must not hold up a
 * new one.
 * @param {string} name
 * @param {() => void} onOutdated
 * @returns {Promise<IDBDatabase>}
 */
export function openDatabase(name, onOutdated) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      const database = opening.result;
      database.createObjectStore("meta");
      database.createObjectStore("held");
      database.createObjectStore("shown", { keyPath: "key" }).createIndex("line", "line");
      database.createObjectStore("inbox", { keyPath: "entry", autoIncrement: true });
      database.createObjectStore("seen");
      database.createObjectStore("names");
      database.createObjectStore("undo", { autoIncrement: true });
    };
    opening.onblocked = () => onOutdated();
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      database.onversionchange = () => {
        database.close();
        onOutdated();
      };
      resolve(database);
    };
  });
}

/**
 * The result of a request, to be awaited inside its transaction only.
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
export function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Runs a body in one transaction and waits until that is complete.
 *
 * The body may await requests of the transaction and nothing else: it commits by itself as soon as
 * no request is under way. Where the body throws, everything is undone.
 * @template Result
 * @param {IDBDatabase} database
 * @param {string[]} stores
 * @param {IDBTransactionMode} mode
 * @param {"relaxed" | "strict"} durability
 * @param {(tx: IDBTransaction) => Promise<Result>} body
 * @returns {Promise<Result>}
 */
export function transact(database, stores, mode, durability, body) {
  return new Promise((resolve, reject) => {
    const tx = database.transaction(stores, mode, { durability });
    /** @type {Result} */
    let value;
    /** @type {unknown} */
    let failure;
    tx.oncomplete = () => resolve(value);
    tx.onabort = () => reject(failure ?? tx.error ?? new Error("the database gave up"));
    body(tx).then(
      (outcome) => {
        value = outcome;
      },
      (error) => {
        failure = error;
        try {
          tx.abort();
        } catch {
          reject(error);
        }
      },
    );
  });
}
