/** The end of a log as text that every database and JSON reader accepts. */

/** Bytes of the end of a log shown with a failure. */
export const TAIL_BYTES = 16_384;

/** The last bytes of a log as text of at most `most` bytes. The bytes may start inside a character. */
export function tailText(bytes: Buffer, most: number): string {
  let start = 0;
  while (bytes.length === most && start < 3 && isContinuation(bytes[start])) start++;
  const text = plainText(bytes.subarray(start).toString());
  // Decoding bytes that are not text makes them longer.
  return Buffer.byteLength(text) <= most ? text : [...text].slice(-Math.floor(most / 4)).join('');
}

/** Text without null characters and lone surrogates, which some readers reject. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Whether a byte is inside a character of UTF-8. */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
