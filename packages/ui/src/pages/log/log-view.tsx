/**
 * The lines of a log in a scrolled box. Only those in view are elements; the place is a line number with a fraction,
 * so that a log of any length scrolls from its first line to its last. Follow holds the end until one scrolls up.
 */
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { type Shared, useShared } from '../../data/shared.ts';
import { useEffectWhen, useLayoutEffectWhen } from '../../data/when.ts';
import { levelOf } from '../../model/log-line.ts';
import type { Rows } from '../../model/log-rows.ts';
import { lastTop, lineAt, MOST_PIXELS, type Scroll, scrollHeight, topOf } from '../../model/log-scroll.ts';
import { LineText } from './line-text.tsx';
import style from './log.module.css';

const LINE = 18;
/** Scrolling up this far ends following. */
const LEAVES_AT = 40;

/** The imperative handle of the view. */
export interface LogViewHandle {
  /** Brings a line, counted from 0, into the upper third of the view. */
  show(line: number): void;
  end(): void;
}

interface LogViewProps {
  readonly label: string;
  /** The lines that are shown. */
  readonly rows: Rows;
  readonly lineOf: (line: number) => string | undefined;
  /** Changes when lines came that were not there. */
  readonly version: Shared<number>;
  readonly wrap: boolean;
  readonly follow: boolean;
  readonly find: string;
  /** The hit that is current, by line; -1 for none. */
  readonly hit: number;
  /** Lines chosen by the address, counted from 1. */
  readonly chosen: { readonly from: number; readonly to: number } | undefined;
  readonly numberLabel: (line: number) => string;
  readonly handle: RefObject<LogViewHandle | null>;
  /** Whether the group that starts at a line is folded. */
  readonly isFolded: (line: number) => boolean;
  /** The first and last line in view; lines between them may be folded. */
  readonly onSeen: (from: number, to: number) => void;
  /** Lines that are needed. */
  readonly onWant: (from: number, to: number) => void;
  /** The first line of a group was pressed. */
  readonly onFold: (line: number) => void;
  readonly onFollow: (follow: boolean) => void;
  /** A line number was pressed, counted from 1; `extend` with shift. */
  readonly onChoose: (line: number, extend: boolean) => void;
}

export function LogView(props: LogViewProps) {
  const { wrap, follow, rows: all } = props;
  const version = useShared(props.version);
  const lines = all.count;
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  const [wanted, setTop] = useState(0);
  /** Where this view itself put the scroll bar: coming back from there is no scrolling by hand. */
  const put = useRef(-1);
  /** Where following holds the scroll bar, and how far the wheel was turned up since it holds there. */
  const held = useRef({ at: 0, turned: 0 });
  // Wrapped lines are higher than one: the last one may then stand at the upper edge.
  const scroll: Scroll = { lines, lineHeight: LINE, height: wrap ? Math.min(height, LINE) : height };
  const bar: Scroll = { lines, lineHeight: LINE, height };
  // A position requested before the view was measured, or before lines were folded, may lie beyond the end.
  const top = Math.min(wanted, lastTop(scroll));
  const scaled = lines * LINE > MOST_PIXELS;

  /** Whether the view was moved to the end: it then stays there when its height changes. */
  const endsHere = useRef(false);
  const goTo = (line: number) => {
    endsHere.current = line >= lastTop(scroll) - 0.01;
    setTop(line);
  };
  const moveTo = (line: number) => {
    const next = Math.min(Math.max(line, 0), lastTop(scroll));
    goTo(next);
    if (!box.current) return;
    box.current.scrollTop = topOf(bar, (next / Math.max(lastTop(scroll), 1e-9)) * lastTop(bar));
    put.current = box.current.scrollTop;
    held.current.at = box.current.scrollTop;
  };
  const latest = useRef({ moveTo, scroll, all });
  latest.current = { moveTo, scroll, all };
  useImperativeHandle(props.handle, () => ({
    show: (line) =>
      latest.current.moveTo(
        latest.current.all.rowOf(line) - Math.floor(latest.current.scroll.height / LINE / 3),
      ),
    end: () => latest.current.moveTo(Number.MAX_SAFE_INTEGER),
  }));

  useEffect(() => {
    if (!box.current) return;
    const resized = new ResizeObserver(([{ contentRect }]) => setHeight(contentRect.height));
    resized.observe(box.current);
    return () => resized.disconnect();
  }, []);
  // Lines that come while nobody follows leave the view where it is.
  // Only when there are more or fewer lines.
  useLayoutEffectWhen(() => {
    endsHere.current = false;
  }, [lines]);
  // Only what makes the end move.
  useLayoutEffectWhen(() => {
    if (follow || endsHere.current) latest.current.moveTo(Number.MAX_SAFE_INTEGER);
  }, [follow, lines, height, wrap]);

  const count = Math.ceil(height / LINE) + 1;
  const first = Math.floor(top);
  const last = Math.min(lines - 1, first + count);
  const { onSeen, onWant } = props;
  // Asked again when the pages at hand have changed.
  useEffectWhen(() => {
    if (height === 0 || lines === 0) return;
    const [from, to] = [all.lineOf(first), all.lineOf(last)];
    onSeen(from, to);
    // Rows that are far apart in the log need pages far apart; each page is requested separately.
    for (let row = first; row <= last; row++) {
      const start = all.lineOf(row);
      while (row < last && all.lineOf(row + 1) - start < count) row++;
      onWant(start, all.lineOf(row));
    }
  }, [first, last, height, all, onSeen, onWant, version]);

  const onScroll = () => {
    if (!box.current) return;
    const { scrollTop } = box.current;
    if (Math.abs(scrollTop - put.current) < 1) return;
    if (follow && held.current.at - scrollTop > LEAVES_AT) props.onFollow(false);
    put.current = -1;
    goTo((lineAt(bar, scrollTop) / Math.max(lastTop(bar), 1e-9)) * lastTop(scroll));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height / LINE) - 2);
    const steps: Record<string, number> = {
      ArrowDown: top + 1,
      ArrowUp: top - 1,
      PageDown: top + page,
      PageUp: top - page,
      Home: 0,
      End: Number.MAX_SAFE_INTEGER,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    if (steps[event.key] < top) props.onFollow(false);
    moveTo(steps[event.key]);
  };
  // Browsers scroll by wheel in small steps, and new lines would pull the view back to the end. So the wheel
  // event itself marks the departure. One notch is a few lines, however much of the log a pixel of the bar
  // covers.
  useEffect(() => {
    const element = box.current;
    if (!element || (!scaled && !follow)) return;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
      held.current.turned = pixels > 0 ? 0 : held.current.turned - pixels;
      if (follow && held.current.turned > LEAVES_AT && element.scrollTop > 0) {
        held.current.turned = 0;
        props.onFollow(false);
      }
      if (!scaled) return;
      event.preventDefault();
      setTop((now) => {
        const next = Math.min(Math.max(now + pixels / LINE, 0), lastTop(latest.current.scroll));
        queueMicrotask(() => latest.current.moveTo(next));
        return next;
      });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [scaled, follow, props.onFollow]);

  const atEnd = wrap && top >= lastTop(scroll) - 0.01;
  const from = atEnd ? Math.max(0, lines - count) : first;
  const rows = [];
  for (let row = from; row <= last; row++) rows.push(row);
  const { lineOf, chosen, find, hit, isFolded, numberLabel, onChoose, onFold } = props;
  return (
    <div
      ref={box}
      className={`${style.scroll} ${wrap ? style.wrapped : ''}`}
      role="region"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must do so by keyboard too
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: Math.max(scrollHeight(bar), height) }}>
        <div className={style.view} style={{ height }}>
          <div
            className={style.lines}
            style={
              atEnd
                ? { minHeight: '100%', position: 'absolute', bottom: 0 }
                : { transform: `translateY(${-(top - first) * LINE}px)` }
            }
          >
            {rows.map((row) => {
              const line = all.lineOf(row);
              const number = line + 1;
              return (
                <Row
                  // One that left the view becomes the one that came into it: scrolling makes no new elements.
                  key={row % (count + 2)}
                  line={line}
                  content={lineOf(line)}
                  find={find}
                  isHit={line === hit}
                  chosen={chosen !== undefined && number >= chosen.from && number <= chosen.to}
                  folded={isFolded(line)}
                  {...{ numberLabel, onChoose, onFold }}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

interface RowProps extends Pick<LogViewProps, 'find' | 'numberLabel' | 'onChoose' | 'onFold'> {
  readonly line: number;
  readonly content: string | undefined;
  readonly isHit: boolean;
  readonly chosen: boolean;
  readonly folded: boolean;
}

const Row = memo(function Row(props: RowProps) {
  const { line, content, find, isHit, chosen, folded, numberLabel, onChoose, onFold } = props;
  const number = line + 1;
  return (
    <div
      className={style.line}
      data-line={number}
      data-level={content === undefined ? undefined : levelOf(content)}
      data-chosen={chosen}
    >
      <button
        type="button"
        tabIndex={-1}
        className={style.number}
        aria-label={numberLabel(number)}
        onClick={(event) => onChoose(number, event.shiftKey)}
      >
        {number}
      </button>
      {content === undefined ? (
        <span className={`${style.text} ${style.waiting}`}>·</span>
      ) : (
        <LineText line={content} find={find} current={isHit} folded={folded} onFold={() => onFold(line)} />
      )}
    </div>
  );
});
