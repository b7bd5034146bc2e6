/**
 * `dynamic` and `backfill`: a series of child runs, at most `parallelism` of them open at once. What its elements
 * are is fixed when it begins.
 */
import type { DynamicSpec, Parameters, WorkflowReference } from '../../model/index.ts';
import { coerce } from '../../params/index.ts';
import {
  countElements,
  elementAt,
  endElement,
  isExhausted,
  openNext,
  productOf,
  recoverFailed,
  restElement,
  type SeriesSource,
  seriesOf,
} from '../../series/index.ts';
import type { Draft } from '../draft.ts';
import { finish } from '../graph.ts';
import { resolveParameters } from '../parameters.ts';
import type { SeriesInput, SeriesRun } from '../run.ts';
import { childDepth, failOnBadInput, tell } from './children.ts';
import type { Logic } from './logic.ts';

/** What a backfill says in `with`; the engine makes it, no file does. */
export interface BackfillSpec {
  readonly workflow: WorkflowReference;
  readonly params: Parameters;
  /** Business times in the order they start. */
  readonly times: readonly number[];
  readonly parallelism: number;
  readonly onFailure: 'continue' | 'stop';
}

export const series: Logic = {
  onReady(draft, i) {
    const earlier = draft.task(i).series;
    if (draft.run.request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else if (earlier) {
      draft.move(i, 'wait');
      goOn(draft, i, { ...earlier, ...recoverFailed(earlier) });
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
    const after =
      event.state === 'running' || event.state === 'paused'
        ? restElement(series, event.element, event.state === 'paused')
        : endElement(series, event.element, event.state, event.outputs);
    goOn(draft, i, { ...series, ...after });
  },

  onPause(draft, i) {
    const { series } = draft.task(i);
    if (!series) return;
    for (const element of series.open) tell(draft, i, series.round, element, 'pause');
    goOn(draft, i, series);
  },

  onResume(draft, i) {
    const { series, state } = draft.task(i);
    if (!series) return;
    if (state === 'paused') draft.move(i, 'wait');
    const open = [...series.open, ...series.paused];
    for (const element of open) tell(draft, i, series.round, element, 'resume');
    goOn(draft, i, { ...series, open, paused: [] });
  },

  onStop(draft, i, reason) {
    const { series, state } = draft.task(i);
    if (!series) {
      finish(draft, i, 'kill', { reason });
      return;
    }
    if (state !== 'stopping') draft.move(i, 'stop', { reason });
    for (const element of [...series.open, ...series.paused]) tell(draft, i, series.round, element, 'stop');
    goOn(draft, i, series);
  },
};

/** Starts what has room, and ends the task run when nothing is left to do. */
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

/** Recovers or starts as many elements as there is room for. */
function open(draft: Draft, i: number, before: SeriesRun): SeriesRun {
  const { parallelism, workflow } = specOf(draft, i);
  const { round } = before;
  const { series, recovered, started } = openNext(before, parallelism);
  const { input } = draft.task(i);
  for (const element of recovered) tell(draft, i, round, element, 'recover');
  for (const element of started) {
    const { params, businessTime } = elementAt(sourceOf(draft, i, input), element);
    draft.children.push({
      task: i,
      round,
      element,
      workflow,
      params: { ...input?.params, ...params },
      businessTime: businessTime ?? draft.run.request.businessTime,
      depth: childDepth(draft),
    });
  }
  return { ...series, round };
}

function specOf(draft: Draft, i: number): DynamicSpec | BackfillSpec {
  return draft.run.plan.tasks[i].spec.with as DynamicSpec | BackfillSpec;
}

/** What the series is given now: its lists resolved, and the parameters of every child. */
function inputOf(draft: Draft, i: number): SeriesInput {
  const spec = specOf(draft, i);
  const params = resolveParameters(draft, i, spec.params);
  if (!('over' in spec)) return { lists: [], params };
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

/** The children's outputs as one list per name, in the order of the elements. */
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
