import { schema } from "./schema.js";
import { randomID } from "./random.js";

/** The core trapped: nothing of the call was done, and the next call gets a fresh instance. */
export class CoreTrap extends Error {}

/** The core refused a call; `code` says what kind of refusal it is. */
export class CoreRefusal extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** What parts the pieces of a call; no JSON holds it. */
const separator = "\x1e";

/**
 * The core, compiled from the same Swift as the program and the server.
 *
 * It keeps nothing between calls, so an instance that trapped is thrown away and nothing is lost.
 */
export class Core {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    /** @type {WebAssembly.Instance | null} */
    this.instance = null;
    /** How often an instance was thrown away. */
    this.traps = 0;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder("utf-8", { fatal: true });
  }

  /**
   * Fetches and compiles the core.
   * @param {URL} url
   * @returns {Promise<Core>}
   */
  static async load(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the core cannot be loaded: status ${response.status}`);
    const isWasm = response.headers.get("Content-Type") === "application/wasm";
    const module = isWasm
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
    return new Core(module);
  }

  /**
   * Carries out a call.
   * @param {Record<string, unknown>} header which call, and what it says beside the states
   * @param {string[]} pieces the states it works on, as they were given back
   * @returns {{ header: any, pieces: string[] }}
   */
  call(header, pieces) {
    const whole = { ...schema, wall: Date.now(), random: randomID(), ...header };
    const text = [JSON.stringify(whole), ...pieces].join(separator);
    const answer = this.callBytes(this.encoder.encode(text));
    const parts = this.decoder.decode(answer).split(separator);
    const last = JSON.parse(parts.pop() ?? "null");
    if (last.refused) throw new CoreRefusal(last.refused, last.message);
    return { header: last, pieces: parts };
  }

  /**
   * Carries out a call of bytes.
   * @param {Uint8Array} bytes
   * @returns {Uint8Array} the answer, which is a copy
   */
  callBytes(bytes) {
    const instance = this.instance ?? this.start();
    const { commute_room, commute_call, commute_free, memory } = /** @type {any} */ (
      instance.exports
    );
    try {
      const room = commute_room(bytes.length);
      new Uint8Array(memory.buffer).set(bytes, room);
      const answer = commute_call(room, bytes.length);
      commute_free(room);
      const count = new DataView(memory.buffer).getUint32(answer, true);
      const copy = new Uint8Array(memory.buffer).slice(answer + 8, answer + 8 + count);
      commute_free(answer);
      return copy;
    } catch (error) {
      this.instance = null;
      this.traps += 1;
      throw new CoreTrap(`the core trapped: ${error}`, { cause: error });
    }
  }

  /** Makes a fresh instance; the compiled module is kept. */
  start() {
    /** @type {WebAssembly.Instance} */
    const instance = new WebAssembly.Instance(this.module, {
      env: {
        random: (/** @type {number} */ at, /** @type {number} */ count) => {
          const memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
          crypto.getRandomValues(new Uint8Array(memory.buffer, at, count));
        },
        log: () => {},
      },
    });
    this.instance = instance;
    return instance;
  }
}
