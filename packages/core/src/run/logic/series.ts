/**
 * `dynamic` and `backfill`: a series of child runs, with at most `parallelism` elements open at once. The
 * elements are fixed when it begins. An element of a backfill with downstream workflows has a child run for
 * each of them in turn: child number `element * workflows + step`.
 */
import type { DynamicSpec, Parameters, WorkflowReference } from '../../model/index.ts';
import { coerce } from '../../params/index.ts';
import {
  continueElement,
  countElements,
  elementAt,
  endElement,
  isExhausted,
  openNext,
  productOf,
  recoverUnfinished,
  restElement,
  type SeriesSource,
  seriesOf,
} from '../../series/index.ts';
import type { Draft } from '../draft.ts';
import type { ChildControl } from '../events.ts';
import { finish } from '../finish.ts';
import { resolveParameters } from '../parameters.ts';
import type { SeriesInput, SeriesRun } from '../run.ts';
import { childDepth, failOnBadInput, tell } from './children.ts';
import type { Logic } from './logic.ts';

/** `with` of a backfill, made by the engine, never by a file. */
export interface BackfillSpec {
  readonly workflow: VersionReference;
  readonly params: Parameters;
  /** Business times in start order. */
  readonly times: readonly number[];
  readonly parallelism: number;
  readonly onFailure: 'continue' | 'stop';
  /** The zone in which its own workflow reads times. */
  readonly timezone?: string;
  /** Workflows that run after it for each business time, in sequence. */
  readonly downstream?: readonly VersionReference[];
}

/** A workflow and the version to run; default: the live one at each start. */
export interface VersionReference extends WorkflowReference {
  readonly version?: number;
}

export const series: Logic = {
  onReady(draft, i) {
    const earlier = draft.task(i).series;
    if (draft.run.request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else if (earlier) {
      draft.move(i, 'wait');
      goOn(draft, i, { ...earlier, ...recoverUnfinished(earlier) });
    } else {
      failOnBadInput(draft, i, () => {
        const input = inputOf(draft, i);
        const { maxElements } = draft.run.plan.tasks[i].spec.with as Partial<DynamicSpec>;
        const total = countElements(sourceOf(draft, i, input), maxElements);
        draft.move(i, 'wait', { input });
        goOn(draft, i, { ...seriesOf(total), round: draft.fields.round });
      });
    }
  },

  onEvent(draft, i, event) {
    const { series } = draft.task(i);
    if (event.type !== 'child' || series?.round !== event.round) return;
    const length = workflowsOf(draft, i).length;
    const element = Math.floor(event.element / length);
    const step = event.element % length;
    if (step !== stepOf(series, element) || series.due?.includes(element)) return;
    if (event.state === 'running' || event.state === 'paused')
      goOn(draft, i, { ...series, ...restElement(series, element, event.state === 'paused') });
    else if (event.state === 'success' && step + 1 < length && isOpen(series, element))
      goOn(draft, i, {
        ...series,
        ...continueElement(series, element),
        steps: { ...series.steps, [element]: step + 1 },
        due: [...(series.due ?? []), element],
      });
    else {
      const ended = { ...series, ...endElement(series, element, event.state, event.outputs) };
      goOn(draft, i, event.state === 'success' ? withoutStep(ended, element) : ended);
    }
  },

  onPause(draft, i) {
    const { series } = draft.task(i);
    if (!series) return;
    for (const element of series.open) tellElement(draft, i, series, element, 'pause');
    goOn(draft, i, series);
  },

  onResume(draft, i) {
    const { series, state } = draft.task(i);
    if (!series) return;
    if (state === 'paused') draft.move(i, 'wait');
    const open = [...series.open, ...series.paused];
    for (const element of open) tellElement(draft, i, series, element, 'resume');
    goOn(draft, i, { ...series, open, paused: [] });
  },

  onStop(draft, i, reason) {
    const { series, state } = draft.task(i);
    if (!series) {
      finish(draft, i, 'kill', { reason });
      return;
    }
    if (state !== 'stopping') draft.move(i, 'stop', { reason });
    for (const element of [...series.open, ...series.paused]) tellElement(draft, i, series, element, 'stop');
    goOn(draft, i, series);
  },
};

/**
 * Changes how many elements are open at once: more start now; with fewer, none starts until there is room.
 */
export function setParallel(draft: Draft, i: number, parallel: number): void {
  const { series } = draft.task(i);
  if (series) goOn(draft, i, { ...series, parallel });
}

/** Starts elements while there is room, and ends the task run when nothing is left. */
function goOn(draft: Draft, i: number, before: SeriesRun): void {
  const { onFailure } = specOf(draft, i);
  const { state, reason } = draft.task(i);
  const held = draft.fields.state === 'pausing' || draft.fields.state === 'paused';
  const stopped = onFailure === 'stop' && before.failed.length > 0;
  const series = state === 'waiting' && !stopped && !held ? open(draft, i, before) : before;
  draft.patch(i, { series });
  const idle = series.open.length === 0 && series.paused.length === 0;
  if (state === 'stopping' && idle) finish(draft, i, 'kill', { reason });
  else if (isExhausted(series) || (stopped && idle)) {
    const failed = series.failed.length;
    if (failed > 0) finish(draft, i, 'fail', { reason: `${failed} of ${series.total} runs failed` });
    else finish(draft, i, 'succeed', { outputs: collect(series) });
  } else if (held && state === 'waiting' && series.open.length === 0) draft.move(i, 'hold');
}

/** Recovers, continues or starts elements while there is room. */
function open(draft: Draft, i: number, before: SeriesRun): SeriesRun {
  const { series, resumed, started } = openNext(before, before.parallel ?? specOf(draft, i).parallelism);
  const begins = new Set(before.due?.filter((element) => resumed.includes(element)));
  for (const element of resumed) {
    if (begins.has(element)) startChild(draft, i, before, element);
    else tellElement(draft, i, before, element, 'recover');
  }
  for (const element of started) startChild(draft, i, before, element);
  const due = before.due?.filter((element) => !begins.has(element));
  return { ...before, ...series, ...(due && { due }) };
}

function startChild(draft: Draft, i: number, { round, steps }: SeriesRun, element: number): void {
  const spec = specOf(draft, i);
  const { input } = draft.task(i);
  const { params, businessTime } = elementAt(sourceOf(draft, i, input), element);
  const workflows = workflowsOf(draft, i);
  const step = steps?.[element] ?? 0;
  draft.children.push({
    task: i,
    round,
    element: element * workflows.length + step,
    workflow: workflows[step],
    // Given parameters are for the requested workflow only.
    params: step === 0 ? { ...input?.params, ...params } : {},
    businessTime: businessTime ?? draft.run.request.businessTime,
    timezone: step === 0 && 'timezone' in spec ? spec.timezone : undefined,
    depth: childDepth(draft),
  });
}

/** Sends a control to an element's current child run. */
function tellElement(
  draft: Draft,
  i: number,
  series: SeriesRun,
  element: number,
  control: ChildControl['control'],
): void {
  const child = element * workflowsOf(draft, i).length + stepOf(series, element);
  tell(draft, i, series.round, child, control);
}

/** The workflows that each element runs, in order. */
function workflowsOf(draft: Draft, i: number): readonly VersionReference[] {
  const spec = specOf(draft, i);
  return 'downstream' in spec ? [spec.workflow, ...(spec.downstream ?? [])] : [spec.workflow];
}

function stepOf({ steps }: SeriesRun, element: number): number {
  return steps?.[element] ?? 0;
}

/**
 * Removes the step of a successful element: the stored state of a long series stays proportional to its open
 * elements.
 */
function withoutStep(series: SeriesRun, element: number): SeriesRun {
  if (series.steps?.[element] === undefined) return series;
  const { [element]: _, ...steps } = series.steps;
  return { ...series, steps };
}

function isOpen({ open, paused }: SeriesRun, element: number): boolean {
  return open.includes(element) || paused.includes(element);
}

function specOf(draft: Draft, i: number): DynamicSpec | BackfillSpec {
  return draft.run.plan.tasks[i].spec.with as DynamicSpec | BackfillSpec;
}

/** Input of the series: its resolved lists, and the parameters of every child. */
function inputOf(draft: Draft, i: number): SeriesInput {
  const spec = specOf(draft, i);
  // In a backfill, each child run resolves them by its own business time.
  if (!('over' in spec)) return { lists: [], params: spec.params };
  const params = resolveParameters(draft, i, spec.params);
  const texts = resolveParameters(
    draft,
    i,
    Object.fromEntries(spec.over.map(({ name, values }) => [name, values])),
  );
  const lists = spec.over.map(({ name }) => ({ name, values: listOf(texts[name], name) }));
  return { lists: productOf(lists, spec.without), params };
}

function sourceOf(draft: Draft, i: number, input: SeriesInput | undefined): SeriesSource {
  const spec = specOf(draft, i);
  return 'times' in spec
    ? { kind: 'times', times: spec.times }
    : { kind: 'product', lists: input?.lists ?? [] };
}

function listOf(text: string, name: string): string[] {
  const list = coerce('list', text, name);
  return Array.isArray(list)
    ? list.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    : [];
}

/** The children's outputs as one list per name, in element order. */
function collect(series: SeriesRun): Parameters {
  const lists = new Map<string, string[]>();
  for (const outputs of Object.values(series.results)) {
    for (const [name, value] of Object.entries(outputs)) {
      const list = lists.get(name);
      if (list) list.push(value);
      else lists.set(name, [value]);
    }
  }
  return Object.fromEntries([...lists].map(([name, values]) => [name, JSON.stringify(values)]));
}
