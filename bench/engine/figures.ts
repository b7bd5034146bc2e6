/** From measured seconds to rows: medians of rounds, with their range, and ratios between them. */
import type { Row } from '../run.ts';

/** How long work took. */
export interface Seconds {
  /** From the first submit, at an idle engine, to the last commit. */
  readonly withSubmit: number;
  /** From the start of the engine, with everything queued before, to the last commit. */
  readonly withoutSubmit: number;
}

/** What is compared: it takes `time` for `count` things. */
export interface Subject {
  readonly what: string;
  readonly count: number;
  readonly note: string;
  time(): Promise<Seconds>;
}

/** A subject with the seconds of each round. */
export interface Measured extends Subject {
  readonly rounds: readonly Seconds[];
}

/** Times all subjects in turn, round after round, so that a busy machine burdens them alike. */
export async function measure(subjects: readonly Subject[], rounds: number): Promise<Measured[]> {
  const measured = subjects.map((subject) => ({ ...subject, rounds: [] as Seconds[] }));
  for (let round = 0; round < rounds; round++) {
    for (const subject of measured) {
      globalThis.gc?.();
      subject.rounds.push(await subject.time());
    }
  }
  return measured;
}

/** The rates of one subject, with and without its submits. */
export function rateRows(measured: Measured, unit: string): Row[] {
  return (['withSubmit', 'withoutSubmit'] as const).map((which) => {
    const rates = ratesOf(measured, which);
    const kind = which === 'withSubmit' ? 'submit included' : 'submit excluded';
    return {
      what: `${measured.what}, ${kind}`,
      value: median(rates),
      unit,
      note: `${range(rates)}; ${measured.note}`,
    };
  });
}

/** How many times as fast as `peer` this is, with its submits; without them in the note. */
export function ratioRow(ours: Measured, peer: Measured, bars: string): Row {
  const ratio = (which: keyof Seconds) => median(ratesOf(ours, which)) / median(ratesOf(peer, which));
  return {
    what: `${ours.what} : ${peer.what}`,
    value: ratio('withSubmit'),
    unit: 'x',
    note: `submit excluded ${ratio('withoutSubmit').toFixed(2)} x; ${bars}`,
  };
}

function ratesOf({ count, rounds }: Measured, which: keyof Seconds): number[] {
  return rounds.map((seconds) => count / seconds[which]);
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
