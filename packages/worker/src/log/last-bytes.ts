/** Keeps the end of a stream in a fixed amount of memory. Small pieces are cheap. */

/** Keeps the last `most` bytes. */
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
      // Keeps only the part of the old bytes that still fits with the new ones.
      const kept = this.most - last.length;
      this.buffer.copyWithin(0, this.used - kept, this.used);
      this.used = kept;
    }
    this.used += last.copy(this.buffer, this.used);
  }

  /** The last bytes, at most `most`. */
  bytes(): Buffer {
    return this.buffer?.subarray(Math.max(0, this.used - this.most), this.used) ?? Buffer.alloc(0);
  }
}
