/**
 * The hash by which ElasticJob's strategies order servers: that of a Java string, 32 bits wide and over
 * UTF-16 units. So a leader in this implementation and one in Java divide a job alike.
 */

/** Java's `String.hashCode`: a signed 32-bit number, 0 for the empty text. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * The index of a hash in a list of `size` entries: its absolute value modulo the size. Also correct for
 * -2^31, whose absolute value Java cannot represent, so that Java fails on such a name.
 */
export function slotOf(hash: number, size: number): number {
  return Math.abs(hash) % size;
}
