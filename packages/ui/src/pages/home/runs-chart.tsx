/**
 * Runs of the last day by outcome. A range opens the list of its runs: drag it, or move with the arrows,
 * widen with Shift and press Enter. The list shows the same data as text.
 */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { runsAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { exact } from '../../model/number.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { StateIcon } from '../../parts/state-badge.tsx';
import styles from './home.module.css';

type Histogram = AnswerOf<'showOverview'>['runs'];

const kinds = ['success', 'failed', 'stopped', 'open'] as const;
const looks = { success: 'success', failed: 'failed', stopped: 'stopped', open: 'running' } as const;
const words = {
  success: 'state.success',
  failed: 'state.failed',
  stopped: 'state.stopped',
  open: 'home.open',
} as const;
const HEIGHT = 120;

export function RunsChart({ runs, project }: { runs: Histogram; project?: string }) {
  const { text, locale } = useLanguage();
  const go = useGo();
  const { zone } = usePreferences();
  const bars = runs.success.length;
  const [range, setRange] = useState<readonly [anchor: number, at: number] | null>(null);
  const totals = runs.success.map((_, at) => kinds.reduce((sum, kind) => sum + runs[kind][at], 0));
  const most = Math.max(1, ...totals);
  const timeOf = (bar: number) => Date.parse(runs.from) + bar * runs.width;
  const clock = (bar: number) => timeParts(timeOf(bar), zoneOf(zone)).time.slice(0, 5);
  const ordered = range && [Math.min(...range), Math.max(...range)];
  const open = ([from, to]: readonly number[]) =>
    go(
      runsAddress({
        project,
        from: new Date(timeOf(from)).toISOString(),
        to: new Date(timeOf(to + 1)).toISOString(),
      }),
    );
  const sum = (kind: (typeof kinds)[number], [from, to]: readonly number[]) =>
    runs[kind].slice(from, to + 1).reduce((total, value) => total + value, 0);
  const tell = (span: readonly number[]) =>
    text('home.bars', {
      from: clock(span[0]),
      to: clock(span[1] + 1),
      success: sum('success', span),
      failed: sum('failed', span),
      stopped: sum('stopped', span),
      open: sum('open', span),
    });
  const barAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(bars - 1, Math.floor(((event.clientX - box.left) / box.width) * bars)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -bars, End: bars }[event.key];
    const [anchor, at] = range ?? [bars - 1, bars - 1];
    if (by !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(bars - 1, range ? at + by : at));
      setRange([event.shiftKey ? anchor : next, next]);
    }
    if (event.key === 'Enter' && ordered) open(ordered);
  };
  const whole = [0, bars - 1];
  return (
    <section className={styles.panel}>
      <h2>
        {text('home.runs24')} <small>{ordered ? tell(ordered) : text('home.brush')}</small>
      </h2>
      <div
        className={styles.chart}
        role="slider"
        tabIndex={0}
        aria-label={text('home.runs24')}
        aria-valuemin={1}
        aria-valuemax={bars}
        aria-valuenow={(range?.[1] ?? bars - 1) + 1}
        aria-valuetext={tell(ordered ?? whole)}
        onKeyDown={onKeyDown}
        onBlur={() => setRange(null)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setRange([barAt(event), barAt(event)]);
        }}
        onPointerMove={(event) => {
          const bar = barAt(event);
          if (event.buttons === 1) setRange((now) => [now?.[0] ?? bar, bar]);
        }}
        onPointerUp={() => ordered && open(ordered)}
      >
        <svg viewBox={`0 0 ${bars * 10} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {totals.map((_, bar) => (
            <Bar key={timeOf(bar)} runs={runs} bar={bar} most={most} />
          ))}
          {ordered && (
            <rect
              className={styles.range}
              vectorEffect="non-scaling-stroke"
              x={ordered[0] * 10}
              y={0}
              width={(ordered[1] - ordered[0] + 1) * 10}
              height={HEIGHT}
            />
          )}
        </svg>
      </div>
      <div className={styles.axis} aria-hidden="true">
        {[0, 1, 2, 3, 4].map((quarter) => (
          <span key={quarter}>{clock(Math.round((bars * quarter) / 4))}</span>
        ))}
      </div>
      <ul className={styles.legend}>
        {kinds.map((kind) => (
          <li key={kind}>
            <StateIcon state={looks[kind]} />
            {text(words[kind])} {exact(sum(kind, whole), locale)}
          </li>
        ))}
        {runs.sampled > 1 && <li>{text('home.sampled', { share: runs.sampled })}</li>}
      </ul>
    </section>
  );
}

function Bar({ runs, bar, most }: { runs: Histogram; bar: number; most: number }) {
  let top = HEIGHT;
  return (
    <g>
      {kinds.map((kind) => {
        const value = runs[kind][bar];
        if (value === 0) return null;
        // What happened at all is seen, however much else did.
        const height = Math.max(3, (value / most) * (HEIGHT - 12));
        top -= height;
        return <rect key={kind} data-kind={kind} x={bar * 10 + 1} y={top} width={8} height={height} />;
      })}
    </g>
  );
}
