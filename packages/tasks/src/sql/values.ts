/** Values of databases as JSON and as text. Drivers give dates, decimals and the like as the text of the server. */

/** A value as JSON has it. Whole numbers that JSON cannot hold exactly stay text. */
export function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Date) return value.toISOString();
  return value ?? null;
}

/** A value as text: of an output, of a cell. NULL is empty. */
export function textValue(value: unknown): string {
  const json = jsonValue(value);
  if (json === null) return '';
  return typeof json === 'string' ? json : typeof json === 'object' ? JSON.stringify(json) : String(json);
}

/** A line of a CSV file (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map((value) => csvCell(textValue(value))).join(',')}\r\n`;
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
