/**
 * Merges two texts with a common origin. If only one of them changed a part, its lines are taken. If both
 * changed it differently, both versions are kept between marks, which no YAML parser accepts, so that no one
 * publishes them by accident.
 */
import { diffLines } from './line-diff.ts';

/** What came of the lines `from` to `to` of the base. */
interface Hunk {
  readonly from: number;
  to: number;
  readonly lines: string[];
}

/** The text of both, and how often both changed the same lines. */
export interface Merged {
  readonly text: string;
  readonly conflicts: number;
}

export function mergeLines(
  base: string,
  mine: string,
  theirs: string,
  names: { mine: string; theirs: string },
): Merged {
  const old = base.split('\n');
  const [left, right] = [hunksOf(old, mine.split('\n')), hunksOf(old, theirs.split('\n'))];
  const lines: string[] = [];
  let conflicts = 0;
  let at = 0;
  while (left.length > 0 || right.length > 0) {
    const start = Math.min(
      left[0]?.from ?? Number.POSITIVE_INFINITY,
      right[0]?.from ?? Number.POSITIVE_INFINITY,
    );
    // Hunks that touch are decided together.
    let end = start;
    const [mineHere, theirsHere]: [Hunk[], Hunk[]] = [[], []];
    for (let grew = true; grew; ) {
      grew = false;
      for (const [waiting, here] of [
        [left, mineHere],
        [right, theirsHere],
      ] as const) {
        const next = waiting[0];
        if (!next || next.from > end) continue;
        here.push(next);
        waiting.shift();
        end = Math.max(end, next.to);
        grew = true;
      }
    }
    lines.push(...old.slice(at, start));
    const a = sideOf(old, mineHere, start, end);
    const b = sideOf(old, theirsHere, start, end);
    if (theirsHere.length === 0 || isSame(a, b)) lines.push(...a);
    else if (mineHere.length === 0) lines.push(...b);
    else {
      conflicts++;
      lines.push(`<<<<<<< ${names.mine}`, ...a, '=======', ...b, `>>>>>>> ${names.theirs}`);
    }
    at = end;
  }
  return { text: [...lines, ...old.slice(at)].join('\n'), conflicts };
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, k) => line === b[k]);

function hunksOf(base: readonly string[], other: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { kind, text } of diffLines(base, other)) {
    if (kind === 'same') open = undefined;
    else if (!open) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (kind === 'new') open?.lines.push(text);
    if (kind !== 'new') at++;
    if (kind === 'gone' && open) open.to = at;
  }
  return hunks;
}

/** What one side makes of some lines of the base. */
function sideOf(base: readonly string[], hunks: readonly Hunk[], start: number, end: number): string[] {
  const lines: string[] = [];
  let at = start;
  for (const { from, to, lines: put } of hunks) {
    lines.push(...base.slice(at, from), ...put);
    at = to;
  }
  return [...lines, ...base.slice(at, end)];
}
