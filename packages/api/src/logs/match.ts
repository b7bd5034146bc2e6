/** Lines of a piece of a log, and which of them match. */

const NEWLINE = 10;

/** Finds the first match in each line. */
export interface Matcher {
  /** Answers, or refuses what takes too long. */
  match(lines: readonly string[]): Promise<readonly (readonly [number, number] | null)[]>;
  /** A quick test whether a piece can contain a match: most pieces need no more. */
  couldMatch?(bytes: Buffer): boolean;
  stop(): Promise<void>;
}

/** A place at the beginning of a line: its offset, and the lines before it. */
export interface LineStart {
  readonly offset: number;
  readonly line: number;
}

/** A line that matches. */
export interface LineHit extends LineStart {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Where the line ends, and where the next one begins. */
  readonly end: number;
  readonly after: LineStart;
}

/** Matches a literal text. */
export function textMatcher({
  q,
  ignoreCase,
}: {
  readonly q: string;
  readonly ignoreCase: boolean;
}): Matcher {
  const wanted = ignoreCase ? q.toLowerCase() : q;
  return {
    match: async (lines) =>
      lines.map((line) => {
        const at = (ignoreCase ? line.toLowerCase() : line).indexOf(wanted);
        return at < 0 ? null : [at, at + wanted.length];
      }),
    couldMatch: (bytes) => ignoreCase || bytes.includes(wanted),
    stop: async () => {},
  };
}

/** The lines of a piece that match, and the place after the piece. */
export async function hitsOf(
  matcher: Matcher,
  bytes: Buffer,
  from: LineStart,
): Promise<{ readonly hits: readonly LineHit[]; readonly after: LineStart }> {
  if (matcher.couldMatch?.(bytes) === false) {
    const after = { offset: from.offset + bytes.length, line: from.line + countNewlines(bytes) };
    return { hits: [], after };
  }
  const starts: LineStart[] = [];
  const lines: string[] = [];
  let { offset, line } = from;
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    starts.push({ offset, line });
    lines.push(bytes.toString('utf8', at, end));
    const length = (newline < 0 ? end : end + 1) - at;
    offset += length;
    at += length;
    if (newline >= 0) line++;
  }
  const after = { offset, line };
  const found = lines.length > 0 ? await matcher.match(lines) : [];
  const hits = found.flatMap((range, k): LineHit[] => {
    if (range === null) return [];
    const next = starts[k + 1] ?? after;
    return [{ ...starts[k], from: range[0], to: range[1], text: lines[k], end: next.offset, after: next }];
  });
  return { hits, after };
}

/** How many lines end in a piece. */
function countNewlines(bytes: Buffer): number {
  let count = 0;
  // By index: an iterator over bytes takes ten times as long.
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}
