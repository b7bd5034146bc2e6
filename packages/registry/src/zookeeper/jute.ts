/** Jute, ZooKeeper's encoding: big-endian numbers, length-prefixed text and bytes, count-prefixed lists. */

/** Builds one frame. */
export class JuteWriter {
  #bytes = Buffer.allocUnsafe(256);
  /** The first four bytes are the length of the frame. */
  #length = 4;

  int(value: number): this {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
    return this;
  }

  long(value: bigint): this {
    this.#reserve(8);
    this.#length = this.#bytes.writeBigInt64BE(value, this.#length);
    return this;
  }

  bool(value: boolean): this {
    this.#reserve(1);
    this.#length = this.#bytes.writeUInt8(value ? 1 : 0, this.#length);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.int(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value, 'utf8'));
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    this.int(items.length);
    for (const item of items) write(item);
    return this;
  }

  /** The frame with its length in front. */
  frame(): Buffer {
    this.#bytes.writeInt32BE(this.#length - 4, 0);
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads one frame. A frame that is too short throws, which closes its connection. */
export class JuteReader {
  readonly #bytes: Buffer;
  #at = 0;

  /** `bytes` without the length in front. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes not read yet. */
  get rest(): number {
    return this.#bytes.length - this.#at;
  }

  int(): number {
    const value = this.#bytes.readInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  long(): bigint {
    const value = this.#bytes.readBigInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  bool(): boolean {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value !== 0;
  }

  /**
   * Returns a copy, so that a small value does not keep a large frame in memory. A length of -1 is null, read
   * as empty.
   */
  bytes(): Buffer {
    const length = Math.max(0, this.int());
    if (length > this.rest)
      throw new RangeError(`a field of ${length} bytes in a frame with ${this.rest} left`);
    const value = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return value;
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  list<T>(read: () => T): T[] {
    const count = Math.max(0, this.int());
    if (count > this.rest)
      throw new RangeError(`a list of ${count} items in a frame with ${this.rest} bytes left`);
    return Array.from({ length: count }, read);
  }
}
