/**
 * Keys in etcd: an entry's key is the root plus its path. Internal keys start with a zero byte after the
 * root, which no path contains.
 */

/** The keys of one tree. */
export class EtcdKeys {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root === '/' ? '' : root;
  }

  entry(path: string): Uint8Array {
    return Buffer.from(this.#root + path);
  }

  /** The range below a path. */
  below(path: string): { key: Uint8Array; rangeEnd: Uint8Array } {
    const prefix = this.#root + (path === '/' ? '' : path);
    // `0` follows `/` in byte order.
    return { key: Buffer.from(`${prefix}/`), rangeEnd: Buffer.from(`${prefix}0`) };
  }

  /** A range that covers a path and everything below it, and also some siblings: filter the result. */
  around(path: string): { key: Uint8Array; rangeEnd: Uint8Array } {
    return path === '/' ? this.below(path) : { ...this.below(path), key: this.entry(path) };
  }

  path(key: Uint8Array): string {
    return Buffer.from(key).toString().slice(this.#root.length);
  }

  /** The key that proves a session alive: bound to its lease. */
  session(id: string): Uint8Array {
    return Buffer.from(`${this.#root}\0session/${id}`);
  }

  /** The key of a parent's last sequence number. */
  sequence(parent: string): Uint8Array {
    return Buffer.from(`${this.#root}\0sequence${parent}`);
  }
}
