/**
 * Times and durations on the page. A time within a day of now is relative; hover or focus shows the other
 * form.
 */
import { useMemo } from 'react';
import { useNow } from '../data/clock.ts';
import { usePreferences } from '../data/preferences.ts';
import { useLanguage } from '../i18n/text.tsx';
import { absoluteTime, duration, isNear, roughDuration, zoneOf } from '../model/time.ts';
import styles from './parts.module.css';

interface TimeProps {
  /** RFC 3339, or epoch milliseconds; null where it never was. */
  readonly at: string | number | null;
  /** The zone of the schedule it belongs to, where there is one. */
  readonly zone?: string;
  readonly form?: 'auto' | 'absolute';
  /** A tab stop of its own; not in lists, where rows are the stops. */
  readonly focusable?: boolean;
}

/** A time; copying it yields ISO 8601. */
export function Time({ at, zone, form = 'auto', focusable = false }: TimeProps) {
  const { text } = useLanguage();
  const relative = useRelativeTime();
  const { zone: choice } = usePreferences();
  const now = useNow();
  const time = at === null ? 0 : asTime(at);
  const absolute = useMemo(() => absoluteTime(time, zoneOf(choice, zone)), [time, choice, zone]);
  if (at === null) return <span className="dim">{text('time.never')}</span>;
  const near = form === 'auto' && isNear(time, now);
  const iso = new Date(time).toISOString();
  return (
    <time
      className={styles.time}
      dateTime={iso}
      data-hint={near ? absolute : relative(time)}
      tabIndex={focusable ? 0 : undefined}
      onCopy={(event) => {
        event.clipboardData.setData('text/plain', iso);
        event.preventDefault();
      }}
    >
      {near ? relative(time) : absolute}
    </time>
  );
}

/** A time relative to now, in the present language. */
function useRelativeTime(): (at: number) => string {
  const { text, units } = useLanguage();
  const now = useNow();
  return (at) => {
    if (Math.abs(now - at) < 1_000) return text('time.now');
    const key = at <= now ? 'time.ago' : 'time.in';
    return text(key, { time: roughDuration(Math.abs(now - at), units) });
  };
}

interface DurationProps {
  readonly from: string | number;
  readonly to?: string | number | null;
  /** Milliseconds of it that do not count: of a run, those between its rounds. */
  readonly idle?: number;
}

/** How long something took, or has taken so far when it has no end. */
export function Duration({ from, to, idle = 0 }: DurationProps) {
  const { units } = useLanguage();
  return to === undefined || to === null ? (
    <Running from={asTime(from) + idle} />
  ) : (
    <span className={styles.time}>{duration(asTime(to) - asTime(from) - idle, units)}</span>
  );
}

function Running({ from }: { from: number }) {
  const { units } = useLanguage();
  const now = useNow();
  return <span className={styles.time}>{duration(now - from, units)}</span>;
}

function asTime(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}
