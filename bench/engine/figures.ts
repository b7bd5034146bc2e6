/** From measured laps to rows: medians of rounds, with their range, and ratios between them. */
import { readFileSync } from 'node:fs';
import type { Row } from '../run.ts';

/**
 * How long something took, and how many seconds of CPU this process and the services spent on it: these depend less on
 * what else the machine does.
 */
export interface Lap {
  readonly seconds: number;
  readonly cpu: number;
  readonly serviceCpu: number;
}

/** The same work twice. */
export interface Timing {
  /** From the first submit, at an idle engine, to the last commit. */
  readonly withSubmit: Lap;
  /** From the start of the engine, with everything queued before, to the last commit. */
  readonly withoutSubmit: Lap;
}

/** A subject of the comparison: it takes `time` for `count` things. */
export interface Subject {
  readonly what: string;
  readonly count: number;
  readonly note: string;
  time(): Promise<Timing>;
}

/** A subject with the timing of each round. */
export interface Measured extends Subject {
  readonly rounds: readonly Timing[];
}

const services = new Set<number>();

/** Counts the CPU time of a service, by its main process, in every lap from now on. */
export function countService(pid: number): void {
  services.add(pid);
}

/** Begins a lap; the answer ends it, now or at the time given. */
export function startLap(): (end?: number) => Lap {
  const begin = performance.now();
  const used = process.cpuUsage();
  const worked = cpuOfServices();
  return (end = performance.now()) => {
    const { user, system } = process.cpuUsage(used);
    return {
      seconds: (end - begin) / 1_000,
      cpu: (user + system) / 1_000_000,
      serviceCpu: cpuOfServices() - worked,
    };
  };
}

/** Clock ticks a second in `/proc`, on every Linux that Node runs on. */
const TICKS = 100;

/** CPU seconds of the services, of their children, and of children that have ended. */
export function cpuOfServices(): number {
  let ticks = 0;
  for (const pid of services) {
    ticks += ticksOf(pid, 4);
    for (const child of read(`/proc/${pid}/task/${pid}/children`).split(' '))
      if (child !== '') ticks += ticksOf(Number(child), 2);
  }
  return ticks / TICKS;
}

/** CPU seconds of a process. */
export function cpuSeconds(pid: number): number {
  return ticksOf(pid, 2) / TICKS;
}

/** Ticks in user and system mode; with four fields also those of ended children. */
function ticksOf(pid: number, fields: 2 | 4): number {
  const stat = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return stat.slice(11, 11 + fields).reduce((sum, each) => sum + Number(each), 0);
}

/** A file of a process; empty once it has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Times all subjects in turn, round after round, so that a busy machine burdens them alike. */
export async function measure(subjects: readonly Subject[], rounds: number): Promise<Measured[]> {
  const measured = subjects.map((subject) => ({ ...subject, rounds: [] as Timing[] }));
  for (let round = 0; round < rounds; round++) {
    for (const subject of measured) {
      globalThis.gc?.();
      subject.rounds.push(await subject.time());
    }
  }
  return measured;
}

/** The rates of one subject, with and without its submits; once where these are the same. */
export function rateRows(measured: Measured, unit: string): Row[] {
  const { count, rounds } = measured;
  const same = rounds.every(({ withSubmit, withoutSubmit }) => withSubmit === withoutSubmit);
  const laps = same ? (['withSubmit'] as const) : (['withSubmit', 'withoutSubmit'] as const);
  return laps.map((which) => {
    const rates = ratesOf(measured, which);
    const each = (part: 'cpu' | 'serviceCpu') =>
      Math.round((1e6 * median(rounds.map((round) => round[which][part]))) / count);
    const kind = which === 'withSubmit' ? 'submit included' : 'submit excluded';
    return {
      what: `${measured.what}, ${kind}`,
      value: median(rates),
      unit,
      note: `${range(rates)}; CPU each: ${each('cpu')} µs of this process, ${each('serviceCpu')} µs of services; ${measured.note}`,
    };
  });
}

/** How many times as fast as `peer` this is, with its submits; without them in the note. */
export function ratioRow(ours: Measured, peer: Measured, bars: string): Row {
  const ratio = (which: keyof Timing) => median(ratesOf(ours, which)) / median(ratesOf(peer, which));
  return {
    what: `${ours.what} : ${peer.what}`,
    value: ratio('withSubmit'),
    unit: 'x',
    note: `submit excluded ${ratio('withoutSubmit').toFixed(2)} x; ${bars}`,
  };
}

function ratesOf({ count, rounds }: Measured, which: keyof Timing): number[] {
  return rounds.map((round) => count / round[which].seconds);
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** How far the rounds lie apart. */
export function range(values: readonly number[]): string {
  const text = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
  return `${values.length} rounds, ${text(Math.min(...values))} to ${text(Math.max(...values))}`;
}

/**
 * Watches this thread from now on. The returned function gives the longest CPU time, in milliseconds, that
 * the thread took without yielding. Time that the machine gave to other processes does not count.
 */
export function watchSteps(): () => number {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
  }, 1);
  return () => {
    clearInterval(look);
    return longest;
  };
}
