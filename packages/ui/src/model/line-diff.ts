/**
 * The differences between two texts by line: the smallest set of deletions and insertions, by Myers' greedy
 * algorithm. Its cost grows with the differences, so texts with little in common count as replaced
 * completely.
 */

/** A line of one text, of the other, or of both. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Differences beyond this are not searched for. */
const MOST = 1_000;

/** How one text became another; lines are compared by what `keyOf` leaves of them. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  keyOf: (line: string) => string = (line) => line,
): readonly DiffLine[] {
  const [a, b] = [before.map(keyOf), after.map(keyOf)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const middle = steps(a.slice(start, endA), b.slice(start, endB)).map(([kind, index]): DiffLine => {
    const text = kind === 'gone' ? before[start + index] : after[start + index];
    return { kind, text };
  });
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: 'same', text }));
  return [...same(after.slice(0, start)), ...middle, ...same(after.slice(endB))];
}

type Step = readonly [kind: DiffLine['kind'], index: number];

/** The steps from one list to the other; `gone` indexes the first list, the others the second. */
function steps(a: readonly string[], b: readonly string[]): Step[] {
  const trace: Int32Array[] = [];
  const limit = Math.min(a.length + b.length, MOST);
  // For each diagonal k = x - y, the furthest position in `a` reachable with this many differences.
  const far = new Int32Array(2 * limit + 3);
  const at = (k: number) => k + limit + 1;
  for (let differences = 0; differences <= limit; differences++) {
    trace.push(far.slice());
    for (let k = -differences; k <= differences; k += 2) {
      const down = k === -differences || (k !== differences && far[at(k - 1)] < far[at(k + 1)]);
      let x = down ? far[at(k + 1)] : far[at(k - 1)] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      far[at(k)] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length, at);
    }
  }
  return [...a.keys().map((i): Step => ['gone', i]), ...b.keys().map((i): Step => ['new', i])];
}

function walkBack(
  trace: readonly Int32Array[],
  endX: number,
  endY: number,
  at: (k: number) => number,
): Step[] {
  const found: Step[] = [];
  let [x, y] = [endX, endY];
  for (let differences = trace.length - 1; differences >= 0; differences--) {
    const far = trace[differences];
    const k = x - y;
    const down = k === -differences || (k !== differences && far[at(k - 1)] < far[at(k + 1)]);
    const before = down ? k + 1 : k - 1;
    const startX = far[at(before)];
    const startY = startX - before;
    while (x > startX && y > startY) {
      x--;
      y--;
      found.push(['same', y]);
    }
    if (differences === 0) break;
    if (down) found.push(['new', --y]);
    else found.push(['gone', --x]);
  }
  return found.reverse();
}
