/** Work that several systems do: the contenders, and their results in each round. */
import { type Lap, median } from '../engine/figures.ts';

/** One measurement: the figure, and the CPU microseconds that one unit of work took, where that was counted. */
export interface Sample {
  readonly value: number;
  readonly cpu?: number;
  readonly serviceCpu?: number;
}

/** A system that does the work. */
export interface Contender {
  readonly name: string;
  /** How it is set, and what it keeps. */
  readonly settings: string;
  measure(): Promise<Sample>;
}

/** The same work for all contenders; ours are named Orrery. */
export interface Work {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly contenders: readonly Contender[];
}

/** A contender with its rounds. */
export interface Result {
  readonly name: string;
  readonly settings: string;
  readonly samples: readonly Sample[];
}

/** Work with the results of its contenders. */
export interface Outcome extends Omit<Work, 'contenders'> {
  readonly results: readonly Result[];
}

/** The rate of a lap in which so much was done. */
export function rateOf({ seconds, cpu, serviceCpu }: Lap, count: number): Sample {
  return { value: count / seconds, cpu: (1e6 * cpu) / count, serviceCpu: (1e6 * serviceCpu) / count };
}

/** Lets all contenders work in turn, round after round, so that a busy machine burdens them alike. */
export async function compete(works: readonly Work[], rounds: number): Promise<Outcome[]> {
  const outcomes = works.map(({ contenders, ...work }) => ({
    ...work,
    results: contenders.map(({ name, settings, measure }) => ({
      name,
      settings,
      measure,
      samples: [] as Sample[],
    })),
  }));
  for (let round = 0; round < rounds; round++)
    for (const { results } of outcomes)
      for (const { measure, samples } of results) {
        globalThis.gc?.();
        samples.push(await measure());
      }
  return outcomes.map(({ results, ...work }) => ({
    ...work,
    results: results.map(({ measure: _, ...result }) => result),
  }));
}

/** The median of the rounds. */
export function figureOf({ samples }: Result): number {
  return median(samples.map(({ value }) => value));
}

/** The median of all CPU time of one unit, in microseconds; undefined where it was not counted. */
export function cpuOf({ samples }: Result): number | undefined {
  const counted = samples.flatMap(({ cpu, serviceCpu }) =>
    cpu === undefined ? [] : [cpu + (serviceCpu ?? 0)],
  );
  return counted.length === samples.length ? median(counted) : undefined;
}

/** How many times as good the first is as the second, by their medians. */
export function ratioOf(better: Work['better'], ours: Result, peer: Result): number {
  return better === 'more' ? figureOf(ours) / figureOf(peer) : figureOf(peer) / figureOf(ours);
}
