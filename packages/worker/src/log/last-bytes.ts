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
    this.buffer ??= Buffer.allocUnsafe(this.most * 2);
    const last = bytes.subarray(-this.most);
    if (this.used + last.length > this.buffer.length) {
      // Of what is there only as much as is still wanted with the new bytes after it.
      const kept = this.most - last.length;
      this.buffer.copyWithin(0, this.used - kept, this.used);
      this.used = kept;
    }
    this.used += last.copy(this.buffer, this.used);
  }

  /** The last bytes, `most` at most. */
  bytes(): Buffer {
    return this.buffer?.subarray(Math.max(0, this.used - this.most), this.used) ?? Buffer.alloc(0);
  }
}
