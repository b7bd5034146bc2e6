/**
 * The timeline of a run: a scrolled box of the right height with one canvas that stays in view and draws the rows
 * that are. One tab stop, which lies over the current row and has its name.
 */
import { ActionIcon } from '@mantine/core';
import { IconArrowAutofitWidth, IconInfoCircle, IconX, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useEffectWhen } from '../../../data/when.ts';
import { type Ink, readInk } from '../../../graph/ink.ts';
import { useText } from '../../../i18n/text.tsx';
import { gapsOf, type Stretch } from '../../../model/timeline.ts';
import { panned, type Range, timeScale, zoomed } from '../../../model/timeline-scale.ts';
import type { WaitKind } from '../../../model/wait.ts';
import { AXIS, drawTimeline, LABEL_WIDTH, ROW, SUM_WIDTH, type TimelineRow } from './draw-timeline.ts';
import style from './timeline.module.css';

/** How far a key pans, as a share of the visible range. */
const PAN = 0.2;
/**
 * The address follows panning and zooming by wheel only after a pause: browsers limit updates of the address.
 */
const RESTS_AFTER = 200;

interface TimelineViewProps {
  readonly label: string;
  readonly rows: readonly TimelineRow[];
  readonly extent: Range;
  /** Where nothing happens; what takes much room is folded. */
  readonly idle: readonly Stretch[];
  /** The visible range; null for all of it. */
  readonly range: Range | null;
  readonly now: number;
  readonly live: boolean;
  readonly current: number;
  readonly nameOf: (row: number) => string;
  readonly axisLabel: (time: number, span: number) => string;
  readonly waitLabel: (wait: WaitKind) => string;
  readonly onCurrent: (row: number) => void;
  readonly onOpen: (row: number) => void;
  readonly onFold: (row: number) => void;
  readonly onRange: (range: Range | null) => void;
}

export function TimelineView(props: TimelineViewProps) {
  const { rows, extent, idle, range, current, now, live } = props;
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const proxy = useRef<HTMLButtonElement>(null);
  const ink = useRef<Ink>(undefined);
  /** The row that was gone to and gets the focus once it is the current one; -1 when none was. */
  const goal = useRef(-1);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [hovered, setHovered] = useState(-1);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const narrow = size.width < 640;
  const labelWidth = narrow ? 140 : LABEL_WIDTH;
  const sumWidth = narrow ? 0 : SUM_WIDTH;
  const plotWidth = Math.max(size.width - labelWidth - sumWidth, 1);
  const [moving, setMoving] = useState<Range | null>(null);
  const seen = moving ?? range ?? extent;
  const { from, to } = seen;
  const scale = useMemo(
    () => timeScale({ from, to }, plotWidth, gapsOf(idle, { from, to })),
    [from, to, idle, plotWidth],
  );

  const draw = useRef(() => {});
  draw.current = () => {
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current || !box.current || size.width === 0) return;
    ink.current ??= readInk(canvas.current);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const { axisLabel, waitLabel } = props;
    drawTimeline(
      context,
      {
        ...{ rows, scale, now, live, current, hovered, brush, labelWidth, sumWidth, waitLabel },
        ...size,
        scrollTop: box.current.scrollTop,
        axisLabel: (time) => axisLabel(time, scale.to - scale.from),
      },
      ink.current,
    );
  };

  useEffect(() => {
    if (!box.current) return;
    const resized = new ResizeObserver(([{ contentRect }]) =>
      setSize({ width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) }),
    );
    resized.observe(box.current);
    const themed = new MutationObserver(() => {
      ink.current = undefined;
      draw.current();
    });
    themed.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    if (!canvas.current) return;
    canvas.current.width = Math.round(size.width * devicePixelRatio);
    canvas.current.height = Math.round(size.height * devicePixelRatio);
  }, [size]);
  useLayoutEffect(() => draw.current());

  useLayoutEffect(() => {
    if (!box.current || current < 0) return;
    const [top, bottom] = [current * ROW, (current + 1) * ROW];
    const { scrollTop, clientHeight } = box.current;
    if (top < scrollTop) box.current.scrollTop = top;
    else if (bottom > scrollTop + clientHeight - AXIS) box.current.scrollTop = bottom - clientHeight + AXIS;
    // On the way from below a task to another one, the task itself is current for a moment.
    if (goal.current !== current) return;
    proxy.current?.focus({ preventScroll: true });
    goal.current = -1;
  }, [current]);

  const zoom = (factor: number) => props.onRange(zoomed(scale, factor, extent));
  const pan = (share: number) => range && props.onRange(panned(scale, share, extent));
  useWheel(box, (by) => {
    if (!range) return false;
    setMoving(panned(scale, by / plotWidth, extent));
    return true;
  });
  const { onRange } = props;
  // Only when the visible range has moved.
  useEffectWhen(() => {
    if (!moving) return;
    const rest = setTimeout(() => onRange(moving), RESTS_AFTER);
    return () => clearTimeout(rest);
  }, [moving]);
  // The address has caught up with the visible range.
  useEffectWhen(() => setMoving(null), [range?.from, range?.to]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = rows.length - 1;
    const at = Math.max(current, 0);
    const page = Math.max(1, Math.floor(size.height / ROW) - 2);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    const fold = rows[at]?.fold;
    const sideways = { ArrowLeft: -PAN, ArrowRight: PAN }[event.key];
    if (event.shiftKey && sideways !== undefined) pan(sideways);
    else if (event.key in steps) {
      goal.current = Math.min(last, Math.max(0, current < 0 ? 0 : steps[event.key]));
      props.onCurrent(goal.current);
    } else if (event.key === 'ArrowRight' && fold === 'closed') props.onFold(at);
    else if (event.key === 'ArrowLeft' && fold === 'open') props.onFold(at);
    else if (event.key === '+' || event.key === '=') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === '0') props.onRange(null);
    else if (event.key === 'Enter') props.onOpen(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const place = (event: PointerEvent) => {
    const bounds = canvas.current?.getBoundingClientRect();
    const [x, y] = [event.clientX - (bounds?.left ?? 0), event.clientY - (bounds?.top ?? 0)];
    const row = Math.floor((y - AXIS + (box.current?.scrollTop ?? 0)) / ROW);
    return { x: x - labelWidth, label: x, row: y < AXIS || row >= rows.length ? -1 : row };
  };
  const onPointerDown = (event: PointerEvent) => {
    const { x, label, row } = place(event);
    if (x >= 0 && x <= plotWidth) {
      event.currentTarget.setPointerCapture(event.pointerId);
      setBrush([x, x]);
    }
    if (row < 0) return;
    const folds = rows[row].fold !== 'none' && label < 24 + rows[row].depth * 16;
    if (folds) props.onFold(row);
    goal.current = row;
    props.onCurrent(row);
    if (row === current) proxy.current?.focus({ preventScroll: true });
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, row } = place(event);
    if (brush) setBrush([brush[0], Math.min(plotWidth, Math.max(0, x))]);
    else if (row !== hovered) setHovered(row);
  };
  const onPointerUp = () => {
    if (brush && Math.abs(brush[1] - brush[0]) > 6) {
      const times = brush.map((x) => Math.round(scale.toTime(x))).sort((a, b) => a - b);
      props.onRange({ from: times[0], to: Math.max(times[1], times[0] + 1) });
    }
    setBrush(null);
  };

  const focused = Math.max(current, 0);
  return (
    <section className={style.frame} aria-label={props.label}>
      <div className={style.tools}>
        <Tool label={text('timeline.zoomIn')} icon={IconZoomIn} act={() => zoom(0.5)} />
        <Tool label={text('timeline.zoomOut')} icon={IconZoomOut} act={() => zoom(2)} />
        <Tool label={text('timeline.all')} icon={IconArrowAutofitWidth} act={() => props.onRange(null)} />
        <Legend />
      </div>
      {range && <RangeReadout range={seen} axisLabel={props.axisLabel} onClear={() => props.onRange(null)} />}
      <div ref={box} className={style.scroll} onScroll={() => draw.current()}>
        <div className={style.rows} style={{ height: rows.length * ROW + AXIS }}>
          <canvas
            ref={canvas}
            className={style.canvas}
            style={size}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setBrush(null)}
            onPointerLeave={() => setHovered(-1)}
            onDoubleClick={() => current >= 0 && props.onOpen(current)}
          />
          {rows.length > 0 && (
            <button
              type="button"
              key={rows[focused]?.key}
              ref={proxy}
              className={style.proxy}
              style={{ top: AXIS + focused * ROW, height: ROW }}
              aria-label={props.nameOf(focused)}
              onKeyDown={onKeyDown}
              onClick={() => props.onCurrent(focused)}
            />
          )}
        </div>
      </div>
    </section>
  );
}

/** Which part is seen, above the sums; pressed, everything is. */
function RangeReadout(props: {
  readonly range: Range;
  readonly axisLabel: TimelineViewProps['axisLabel'];
  readonly onClear: () => void;
}) {
  const { range, axisLabel, onClear } = props;
  const text = useText();
  const [from, to] = [range.from, range.to].map((time) => axisLabel(time, range.to - range.from));
  const label = text('timeline.range', { from, to });
  return (
    <button
      type="button"
      className={style.range}
      aria-label={text('timeline.clearRange', { range: label })}
      data-hint={text('timeline.all')}
      onClick={onClear}
    >
      {label}
      <IconX size={12} aria-hidden="true" />
    </button>
  );
}

/** Hears a wheel that turns sideways, or any wheel with shift; the rows scroll by it unless it was taken. */
function useWheel(box: { readonly current: HTMLElement | null }, turned: (by: number) => boolean): void {
  const latest = useRef(turned);
  latest.current = turned;
  useEffect(() => {
    const element = box.current;
    const heard = (event: WheelEvent) => {
      const by = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (by === 0 || (!event.shiftKey && Math.abs(event.deltaY) > Math.abs(by))) return;
      if (latest.current(by)) event.preventDefault();
    };
    // Not through React, whose listeners cannot keep the page from scrolling.
    element?.addEventListener('wheel', heard, { passive: false });
    return () => element?.removeEventListener('wheel', heard);
  }, [box]);
}

/** What the patterns of waits mean. */
function Legend() {
  const text = useText();
  const legend = text('timeline.legend');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what a hint says is there for keyboards too
    <span role="img" tabIndex={0} className={style.legend} aria-label={legend} data-hint={legend}>
      <IconInfoCircle size={16} aria-hidden="true" />
    </span>
  );
}

function Tool({ label, icon: Icon, act }: { label: string; icon: typeof IconZoomIn; act: () => void }) {
  return (
    <ActionIcon variant="subtle" aria-label={label} data-hint={label} onClick={act}>
      <Icon size={16} />
    </ActionIcon>
  );
}
