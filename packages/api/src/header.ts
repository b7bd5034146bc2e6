/** Headers that operations know: the contract names them as clients do, in camel case. */

/** `idempotencyKey` is sent as `Idempotency-Key`. */
export function headerName(key: string): string {
  return key.replace(/^[a-z]|[A-Z]/g, (letter, at) => (at === 0 ? letter.toUpperCase() : `-${letter}`));
}
