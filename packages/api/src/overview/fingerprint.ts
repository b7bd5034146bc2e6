/** What errors have in common: the same error of another run, row or host is the same to whoever mends it. */

/** The first line of an error without what differs from one time to the next. */
export function fingerprint(error: string | null): string {
  return (error?.split('\n', 1)[0] ?? '')
    .slice(0, 500)
    .toLowerCase()
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
