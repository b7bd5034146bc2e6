/** Where entries are in etcd: an entry's key is the root and its path. Our own keys follow a zero byte, as no path can. */

/** Keys of one tree. */
export class EtcdKeys {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root === '/' ? '' : root;
  }

  entry(path: string): Uint8Array {
    return Buffer.from(this.#root + path);
  }

  /** Everything below a path. */
  below(path: string): { key: Uint8Array; rangeEnd: Uint8Array } {
    const prefix = this.#root + (path === '/' ? '' : path);
    // `0` follows `/`.
    return { key: Buffer.from(`${prefix}/`), rangeEnd: Buffer.from(`${prefix}0`) };
  }

  /** A path and everything below it, with some siblings between them: filter. */
  around(path: string): { key: Uint8Array; rangeEnd: Uint8Array } {
    return path === '/' ? this.below(path) : { ...this.below(path), key: this.entry(path) };
  }

  path(key: Uint8Array): string {
    return Buffer.from(key).toString().slice(this.#root.length);
  }

  /** The sign that a session lives: bound to its lease. */
  session(id: string): Uint8Array {
    return Buffer.from(`${this.#root}\0session/${id}`);
  }

  /** The last sequence number below a parent. */
  sequence(parent: string): Uint8Array {
    return Buffer.from(`${this.#root}\0sequence${parent}`);
  }
}
