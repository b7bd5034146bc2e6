/**
 * The hash by which strategies that follow ElasticJob order servers: that of a Java string, 32 bits wide and
 * over UTF-16 units, so a leader written here and one written in Java give a job the same division.
 */

/** `String.hashCode` of Java: a signed 32-bit number, 0 for the empty text. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * Where a hash points in a list of `size` entries: its absolute value modulo the size. Right for -2^31 too,
 * whose absolute value Java cannot represent, so that Java fails on such a name.
 */
export function slotOf(hash: number, size: number): number {
  return Math.abs(hash) % size;
}
