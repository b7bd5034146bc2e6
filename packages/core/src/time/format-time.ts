/** Formats times and durations for people. */
import { DAY, HOUR, MINUTE, SECOND } from './civil.ts';
import { wall, type Zone } from './zone.ts';

/** An instant in a zone, with its offset: `2026-03-08T03:30:00-04:00`; `Z` in UTC. */
export function formatIso(instant: number, zone: Zone): string {
  const { year, month, day, hour, minute, second, ms } = wall(instant, zone);
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const time = `${two(hour)}:${two(minute)}:${two(second)}`;
  const fraction = ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`;
  return `${date}T${time}${fraction}${offsetText(zone.offsetAt(instant), zone)}`;
}

/** A duration: `1d 10s`, without zero units; below a second `350ms`. Undefined if negative. */
export function formatDuration(ms: number): string | undefined {
  if (!(ms >= 0)) return undefined;
  if (ms > 0 && ms < SECOND) return `${ms}ms`;
  const parts = [
    [Math.floor(ms / DAY), 'd'],
    [Math.floor(ms / HOUR) % 24, 'h'],
    [Math.floor(ms / MINUTE) % 60, 'm'],
    [Math.floor(ms / SECOND) % 60, 's'],
  ] as const;
  const shown = parts.filter(([size]) => size > 0).map(([size, unit]) => `${size}${unit}`);
  return shown.length === 0 ? '0s' : shown.join(' ');
}

function offsetText(offset: number, zone: Zone): string {
  if (zone.name === 'UTC' || zone.name === 'Z') return 'Z';
  const size = Math.abs(offset);
  // Zones used local mean time, with seconds, well into the twentieth century.
  const seconds = Math.floor(size / SECOND) % 60;
  const text = `${two(Math.floor(size / HOUR))}:${two(Math.floor(size / MINUTE) % 60)}`;
  return `${offset < 0 ? '-' : '+'}${text}${seconds === 0 ? '' : `:${two(seconds)}`}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
