/** Times as the API writes them: RFC 3339 in UTC, with milliseconds. */

/** An instant as text. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** An instant that may be missing. */
export function optionalTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : timeText(at);
}
