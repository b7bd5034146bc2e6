/** Remembers the end of a stream in a fixed amount of memory, cheaply also when it comes in small pieces. */

/** Keeps the last `most` bytes of what was added. */
export class LastBytes {
  private readonly most: number;
  private buffer: Buffer | undefined;
  private used = 0;

  constructor(most: number) {
    this.most = most;
  }

  add(bytes: Buffer): void {
    this.buffer ??= Buffer.allocUnsafe(this.most * 4);
    const last = bytes.subarray(-this.most);
    if (this.used + last.length > this.buffer.length) {
      this.buffer.copyWithin(0, this.used - this.most, this.used);
      this.used = this.most;
    }
    this.used += last.copy(this.buffer, this.used);
  }

  /** The last bytes, `most` at most. */
  bytes(): Buffer {
    return this.buffer?.subarray(Math.max(0, this.used - this.most), this.used) ?? Buffer.alloc(0);
  }
}
