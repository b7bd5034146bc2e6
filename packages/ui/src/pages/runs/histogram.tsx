/** Runs over time as bars of how they ended; dragged, or by arrows with shift, it chooses a range. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { usePreferences } from '../../data/preferences.ts';
import { sharpen } from '../../graph/sharp.ts';
import { useSizeChange } from '../../graph/use-size-change.ts';
import { useThemeChange } from '../../graph/use-theme-change.ts';
import { useText } from '../../i18n/text.tsx';
import type { RunsFilter } from '../../model/runs.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import style from './runs.module.css';

interface HistogramProps {
  readonly filter: RunsFilter;
  readonly onRange: (from: string, to: string) => void;
}

const BUCKETS = 96;

export function Histogram({ filter, onRange }: HistogramProps) {
  const text = useText();
  const { zone: choice } = usePreferences();
  const { state: _, ...counted } = filter;
  const { data, error, refetch } = useApi(
    'showHistogram',
    { ...(counted as object), from: filter.from ?? '-24h', buckets: BUCKETS },
    { keep: true, every: 15_000 },
  );
  const canvas = useRef<HTMLCanvasElement>(null);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const [at, setAt] = useState(-1);

  const sized = useSizeChange();
  useThemeChange();
  useEffect(() => {
    if (canvas.current && data) draw(canvas.current, data, brush, at);
  });
  const bucketAt = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - left) / width, 0), 0.9999);
    return Math.floor(share * (data?.success.length ?? BUCKETS));
  };
  const choose = (range: readonly [number, number]) => {
    if (!data) return;
    const [first, last] = [Math.min(...range), Math.max(...range)];
    const start = Date.parse(data.from);
    onRange(iso(start + first * data.width), iso(start + (last + 1) * data.width));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const count = data?.success.length ?? 0;
    if (by !== undefined && count > 0) {
      const next = Math.min(count - 1, Math.max(0, at + by));
      setBrush(event.shiftKey ? [brush?.[0] ?? Math.max(at, 0), next] : null);
      setAt(next);
    } else if (event.key === 'Enter' && at >= 0) {
      choose(brush ?? [at, at]);
      setBrush(null);
    } else return;
    event.preventDefault();
  };
  const zone = zoneOf(choice);
  const label = (time: number) => {
    const { date, time: clock } = timeParts(time, zone);
    return data && data.width * BUCKETS > 2 * 86_400_000 ? date.slice(5) : clock.slice(0, 5);
  };
  const bar =
    data && at >= 0
      ? text('runs.histogram.bar', {
          from: label(Date.parse(data.from) + at * data.width),
          success: data.success[at] ?? 0,
          failed: data.failed[at] ?? 0,
          stopped: data.stopped[at] ?? 0,
          open: data.open[at] ?? 0,
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
        className={style.histogram}
        style={{ width: '100%' }}
        aria-busy={!data}
        aria-label={`${text('runs.histogram')}${bar && `. ${bar}`}`}
        data-hint={bar || undefined}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setBrush([bucketAt(event), bucketAt(event)]);
        }}
        onPointerMove={(event) => {
          setAt(bucketAt(event));
          if (brush) setBrush([brush[0], bucketAt(event)]);
        }}
        onPointerUp={() => {
          if (brush) choose(brush);
          setBrush(null);
        }}
        onPointerCancel={() => setBrush(null)}
        onPointerLeave={() => !brush && setAt(-1)}
      >
        <canvas ref={canvas} />
      </button>
      {data && (
        <div className={style.axis} aria-hidden="true">
          {[0, 0.25, 0.5, 0.75, 1].map((share) => (
            <span key={share}>
              {label(Date.parse(data.from) + share * (Date.parse(data.to) - Date.parse(data.from)))}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

const iso = (time: number) => new Date(time).toISOString();

const families = ['failed', 'stopped', 'open', 'success'] as const;
const inks = { failed: 'failed', stopped: 'stopped', open: 'running', success: 'success' } as const;

function draw(
  canvas: HTMLCanvasElement,
  data: AnswerOf<'showHistogram'>,
  brush: readonly [number, number] | null,
  at: number,
): void {
  const sharp = sharpen(canvas);
  if (!sharp) return;
  const { context, ink, width, height } = sharp;
  const count = data.success.length;
  const sums = data.success.map((_, i) => families.reduce((sum, family) => sum + data[family][i], 0));
  const most = Math.max(1, ...sums);
  const step = width / count;
  context.fillStyle = ink.line;
  context.fillRect(0, height - 1, width, 1);
  const [from, to] = brush ? [Math.min(...brush), Math.max(...brush)] : [at, at];
  if (from >= 0) {
    context.fillStyle = brush ? ink.chosen : ink.raised;
    context.fillRect(from * step, 0, (to - from + 1) * step, height);
  }
  for (let i = 0; i < count; i++) {
    let y = height - 1;
    // Failures are at the bottom, where even the smallest stays visible.
    for (const family of families) {
      const value = data[family][i];
      if (value === 0) continue;
      const high = Math.max((value / most) * (height - 4), 2);
      y -= high;
      context.fillStyle = ink.states[inks[family]].fill;
      context.fillRect(i * step + 0.5, y, Math.max(step - 1, 1), high);
    }
  }
}
