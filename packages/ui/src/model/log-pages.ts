/**
 * The cached lines of a log, in pages of a fixed number of lines. Only pages near the view are kept. Lines
 * count from 0. A page that is not full is the last one, and is read again when it grows.
 */

/** Lines of a page. */
export const PAGE_LINES = 500;
/** Characters kept at most, about 32 MB of memory. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** The end of a log: its line count, and whether the last line is incomplete. */
export interface LogEnd {
  readonly total: number;
  readonly open: boolean;
}

/** Pages at hand, those used last at the end. */
export class LogPages {
  private readonly pages = new Map<number, readonly string[]>();
  /** Pages that were read separately: they may hold more of an incomplete line than the followed text. */
  private readonly apart = new Set<number>();
  private characters = 0;
  private readonly most: number;

  constructor(most = MOST_CHARACTERS) {
    this.most = most;
  }

  /** A line, if it is at hand. */
  line(number: number): string | undefined {
    return this.pages.get(Math.floor(number / PAGE_LINES))?.[number % PAGE_LINES];
  }

  /** The pages that lines `from` to `to` need and that are not at hand, with those around them. */
  missing(from: number, to: number, total: number, around = 2): readonly number[] {
    const last = Math.ceil(total / PAGE_LINES) - 1;
    const wanted: number[] = [];
    const [first, end] = [Math.floor(from / PAGE_LINES), Math.floor(Math.max(to, from) / PAGE_LINES)];
    for (let page = first; page <= end; page++) wanted.push(page);
    for (let by = 1; by <= around; by++) wanted.push(end + by, first - by);
    return wanted.filter((page) => page >= 0 && page <= last && !this.has(page, total));
  }

  /** Keeps a page that was read by itself. */
  put(page: number, lines: readonly string[]): void {
    this.keep(page, lines);
    this.apart.add(page);
  }

  /** Keeps a page; the ones unused for longest go when there are too many. */
  private keep(page: number, lines: readonly string[]): void {
    this.drop(page);
    this.pages.set(page, lines);
    this.characters += sizeOf(lines);
    for (const oldest of this.pages.keys()) {
      if (this.characters <= this.most || oldest === page) break;
      this.drop(oldest);
    }
  }

  /** Caches the last lines of a log, which start with the line `first`, if they fill pages. */
  putEnd(first: number, lines: readonly string[]): void {
    for (let page = Math.ceil(first / PAGE_LINES); page * PAGE_LINES < first + lines.length; page++)
      this.keep(page, lines.slice(page * PAGE_LINES - first, (page + 1) * PAGE_LINES - first));
  }

  /**
   * Appends text written after the first `total` lines; `open` means that the last of them was incomplete.
   * Lines of uncached pages are only counted.
   */
  append({ total, open }: LogEnd, text: string): LogEnd {
    if (text === '') return { total, open };
    const lines = text.split('\n');
    const ended = lines.at(-1) === '';
    if (ended) lines.pop();
    const first = open ? total - 1 : total;
    const last = Math.floor((first + lines.length - 1) / PAGE_LINES);
    for (let page = Math.floor(first / PAGE_LINES); page <= last; page++) {
      const start = page * PAGE_LINES;
      const known = this.pages.get(page) ?? (start >= first ? [] : undefined);
      if (!known || known.length < Math.min(first - start, PAGE_LINES)) continue;
      if (open && start <= first && this.apart.has(page)) {
        this.drop(page);
        continue;
      }
      const before = known.slice(0, Math.max(first - start, 0));
      const continued = open && start <= first ? (known[first - start] ?? '') : '';
      const added = lines.slice(Math.max(start - first, 0), start - first + PAGE_LINES);
      this.keep(page, [...before, ...added.map((line, i) => (i === 0 ? continued + line : line))]);
    }
    return { total: first + lines.length, open: !ended };
  }

  /** Forgets all lines. */
  clear(): void {
    this.pages.clear();
    this.apart.clear();
    this.characters = 0;
  }

  private has(page: number, total: number): boolean {
    const lines = this.pages.get(page);
    if (!lines) return false;
    // Used now: to the end of the line of those to go.
    this.pages.delete(page);
    this.pages.set(page, lines);
    return lines.length >= Math.min(PAGE_LINES, total - page * PAGE_LINES);
  }

  private drop(page: number): void {
    this.characters -= sizeOf(this.pages.get(page) ?? []);
    this.pages.delete(page);
    this.apart.delete(page);
  }
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
