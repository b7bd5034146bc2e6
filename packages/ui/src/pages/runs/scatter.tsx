/** How long runs took, a point each, over time: a click or Enter opens one, dragging chooses a range. */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { usePreferences } from '../../data/preferences.ts';
import { sharpen } from '../../graph/sharp.ts';
import { useSizeChange } from '../../graph/use-size-change.ts';
import { useThemeChange } from '../../graph/use-theme-change.ts';
import { useText } from '../../i18n/text.tsx';
import type { RunsFilter } from '../../model/runs.ts';
import { nearest, placesOf } from '../../model/scatter.ts';
import { lookOf } from '../../model/state.ts';
import { absoluteTime, duration, zoneOf } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useStateWord } from '../../parts/state-badge.tsx';
import style from './runs.module.css';

interface ScatterProps {
  readonly filter: RunsFilter;
  readonly onRange: (from: string, to: string) => void;
  readonly onOpen: (id: number) => void;
}

/** Steps of the range that arrows with shift choose by. */
const STEPS = 48;

/** How near the pointer must be to a point, in pixels. */
const NEAR = 8;

type Points = AnswerOf<'listRunPoints'>;

export function Scatter({ filter, onRange, onOpen }: ScatterProps) {
  const text = useText();
  const word = useStateWord();
  const zone = zoneOf(usePreferences().zone);
  const { data, error, refetch } = useApi(
    'listRunPoints',
    { ...(filter as object), from: filter.from ?? '-24h' },
    { keep: true, every: 15_000 },
  );
  const canvas = useRef<HTMLCanvasElement>(null);
  /** The run of the current point: which point that is changes with every answer. */
  const [picked, setPicked] = useState<number | null>(null);
  const at = picked === null ? -1 : (data?.columns.id.indexOf(picked) ?? -1);
  const setAt = (point: number) => setPicked(data?.columns.id[point] ?? null);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const from = data ? Date.parse(data.from) : 0;
  const width = data ? Date.parse(data.to) - from : 1;
  const places = useMemo(() => (data ? placesOf({ width, ...data.columns }) : []), [data, width]);
  const sized = useSizeChange();
  useThemeChange();
  useEffect(() => {
    if (canvas.current && data) draw(canvas.current, data, places, brush, at);
  });
  const iso = (share: number) => new Date(from + share * width).toISOString();
  const choose = ([a, b]: readonly [number, number]) => onRange(iso(Math.min(a, b)), iso(Math.max(a, b)));
  const pointer = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const size = { width: box.width - 2 * EDGE, height: box.height - 2 * EDGE };
    const place = { x: event.clientX - box.left - EDGE, y: event.clientY - box.top - EDGE };
    return {
      share: Math.min(Math.max(place.x / size.width, 0), 1),
      point: nearest(places, size, place, NEAR),
      far: brush === null ? 0 : Math.abs(place.x - brush[0] * size.width),
    };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by !== undefined && event.shiftKey) {
      const [start, end] = brush ?? [places[at]?.[0] ?? 0, places[at]?.[0] ?? 0];
      setBrush([start, Math.min(1, Math.max(0, end + by / STEPS))]);
    } else if (by !== undefined && places.length > 0) {
      setBrush(null);
      setAt(Math.min(places.length - 1, Math.max(0, at + by)));
    } else if (event.key === 'Home' || event.key === 'End') {
      setAt(event.key === 'Home' ? 0 : places.length - 1);
    } else if (event.key === 'Enter' && brush) {
      choose(brush);
      setBrush(null);
    } else if (event.key === 'Enter' && data && at >= 0) onOpen(data.columns.id[at]);
    else return;
    event.preventDefault();
  };
  const said = data && sayPoint(data, at);
  const hint = brush
    ? text('runs.scatter.range', {
        from: absoluteTime(from + Math.min(...brush) * width, zone),
        to: absoluteTime(from + Math.max(...brush) * width, zone),
      })
    : said
      ? text('runs.scatter.point', {
          id: said.id,
          state: word(said.state),
          took: duration(said.took),
          at: absoluteTime(from + said.at, zone),
        })
      : '';
  if (error && !data)
    return (
      <div className={style.grow}>
        <ErrorPanel error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <div ref={sized} className={style.grow}>
      <button
        type="button"
        className={style.scatter}
        aria-busy={!data}
        aria-label={`${text('runs.scatter')}${hint && `. ${hint}`}`}
        data-hint={hint || undefined}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const { share } = pointer(event);
          setBrush([share, share]);
        }}
        onPointerMove={(event) => {
          const { share, point } = pointer(event);
          setAt(point);
          if (brush) setBrush([brush[0], share]);
        }}
        onPointerUp={(event) => {
          const { share, point, far } = pointer(event);
          setBrush(null);
          if (brush && far > NEAR) choose([brush[0], share]);
          else if (point >= 0 && data) onOpen(data.columns.id[point]);
        }}
        onPointerLeave={() => !brush && setAt(-1)}
      >
        <canvas ref={canvas} />
      </button>
      <div className={style.axis}>
        <span>{data && absoluteTime(from, zone)}</span>
        {data && data.sampled > 1 && (
          <span role="note">{text('runs.scatter.sampled', { count: data.sampled })}</span>
        )}
        {data && data.columns.id.length === 0 && <span role="note">{text('runs.scatter.none')}</span>}
        <span>{data && absoluteTime(from + width, zone)}</span>
      </div>
    </div>
  );
}

function sayPoint({ columns, states }: Points, at: number) {
  const id = columns.id[at];
  if (id === undefined) return undefined;
  return { id, at: columns.at[at], took: columns.took[at], state: states[columns.state[at]] };
}

const RADIUS = 2.5;

/** Room at the edges, so that no point is cut. */
const EDGE = 5;

function draw(
  canvas: HTMLCanvasElement,
  { columns, states }: Points,
  places: ReturnType<typeof placesOf>,
  brush: readonly [number, number] | null,
  at: number,
): void {
  const sharp = sharpen(canvas);
  if (!sharp) return;
  const { context, ink, width, height } = sharp;
  const [wide, high] = [width - 2 * EDGE, height - 2 * EDGE];
  if (brush) {
    context.fillStyle = ink.chosen;
    context.fillRect(EDGE + Math.min(...brush) * wide, 0, Math.abs(brush[1] - brush[0]) * wide, height);
  }
  context.fillStyle = ink.line;
  context.fillRect(0, height - 1, width, 1);
  const dot = (k: number, radius: number) => {
    const [x, y] = places[k];
    context.beginPath();
    context.arc(EDGE + x * wide, EDGE + (1 - y) * high, radius, 0, 2 * Math.PI);
    context.fill();
  };
  context.globalAlpha = 0.75;
  const families = states.map((state) => lookOf(state).family);
  // Failures are drawn last: they must not hide under the many that went well.
  const order = columns.id
    .map((_, k) => k)
    .sort((a, b) => rank(families[columns.state[a]]) - rank(families[columns.state[b]]));
  for (const k of order) {
    context.fillStyle = ink.states[families[columns.state[k]]].fill;
    dot(k, RADIUS);
  }
  context.globalAlpha = 1;
  context.fillStyle = ink.dim;
  context.font = `11px ${ink.sans}`;
  // The picture goes from the shortest to the longest.
  const [first = 0] = columns.took;
  const longest = columns.took.reduce((most, ms) => Math.max(most, ms), first);
  const shortest = columns.took.reduce((least, ms) => Math.min(least, ms), first);
  if (longest > shortest) context.fillText(duration(longest), 0, 11);
  if (columns.took.length > 0) context.fillText(duration(shortest), 0, height - 4);
  if (places[at] === undefined) return;
  context.fillStyle = ink.focus;
  dot(at, RADIUS + 2.5);
}

const rank = (family: string) => ({ success: 0, failed: 2 })[family] ?? 1;
