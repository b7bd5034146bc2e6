/** Values of SNMP in the basic encoding rules: as much as a trap needs. */

function wrap(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** An unsigned number; a leading zero keeps its first bit from being read as a sign. */
function unsigned(tag: number, value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  if ((bytes[0] ?? 0) >= 0x80) bytes.unshift(0);
  return wrap(tag, Buffer.from(bytes));
}

function arc(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

export const sequence = (...parts: readonly Buffer[]): Buffer => wrap(0x30, ...parts);
/** An SNMPv2-Trap-PDU. */
export const trapPdu = (...parts: readonly Buffer[]): Buffer => wrap(0xa7, ...parts);
export const integer = (value: number): Buffer => unsigned(0x02, value);
export const gauge = (value: number): Buffer => unsigned(0x42, value);
export const timeTicks = (value: number): Buffer => unsigned(0x43, value % 2 ** 32);
export const octets = (value: Buffer | string): Buffer => wrap(0x04, Buffer.from(value));

/** An object identifier, as `1.3.6.1`. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return wrap(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(arc)]));
}
