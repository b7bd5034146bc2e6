/** `dynamic` and `backfill`: a series of child runs, at most `parallelism` of them open at once. */
import { InvalidInput } from '../../errors.ts';
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
import type { ChildControl } from '../events.ts';
import { finish } from '../graph.ts';
import { resolveParameters } from '../parameters.ts';
import type { SeriesRun } from '../run.ts';
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

/** How a kind of series finds its source and limits. */
type Reader = (
  draft: Draft,
  i: number,
) => {
  readonly source: SeriesSource;
  readonly maxElements: number;
  readonly spec: DynamicSpec | BackfillSpec;
};

/** Combines the lists of a `dynamic` task. */
export const dynamic = seriesLogic((draft, i) => {
  const spec = draft.run.plan.tasks[i].spec.with as DynamicSpec;
  const values = resolveParameters(
    draft,
    i,
    Object.fromEntries(spec.over.map((list) => [list.name, list.values])),
  );
  const lists = spec.over.map(({ name }) => ({ name, values: listOf(values[name], name) }));
  return { source: productOf(lists, spec.without), maxElements: spec.maxElements, spec };
});

/** One child run for each business time. */
export const backfill = seriesLogic((draft, i) => {
  const spec = draft.run.plan.tasks[i].spec.with as BackfillSpec;
  return { source: { kind: 'times', times: spec.times }, maxElements: spec.times.length, spec };
});

function seriesLogic(read: Reader): Logic {
  /** Starts what has room, and ends the task run when nothing is left to do. */
  function goOn(draft: Draft, i: number, before: SeriesRun): void {
    const { spec, source } = read(draft, i);
    const { request } = draft.run;
    const { state } = draft.task(i);
    let series: SeriesRun = before;
    const stopped = spec.onFailure === 'stop' && series.failed.length > 0;
    if (state === 'waiting' && !stopped && !isHeld(draft)) {
      const opened = openNext(series, spec.parallelism);
      series = { ...series, ...opened.series };
      for (const element of opened.recovered) tell(draft, i, series.round, element, 'recover');
      for (const element of opened.started) {
        const { params, businessTime } = elementAt(source, element);
        draft.children.push({
          task: i,
          round: series.round,
          element,
          workflow: spec.workflow,
          params: { ...resolveParameters(draft, i, spec.params), ...params },
          businessTime: businessTime ?? request.businessTime,
          depth: request.depth + 1,
        });
      }
    }
    draft.patch(i, { series });
    const idle = series.open.length === 0 && series.paused.length === 0;
    if (state === 'stopping' && idle) finish(draft, i, 'kill', { reason: draft.task(i).reason });
    else if (isExhausted(series) || (stopped && idle)) {
      const failed = series.failed.length;
      if (failed > 0) finish(draft, i, 'fail', { reason: `${failed} of ${series.total} runs failed` });
      else finish(draft, i, 'succeed', { outputs: collect(series) });
    } else if (isHeld(draft) && state === 'waiting' && series.open.length === 0) draft.move(i, 'hold');
  }

  return {
    onReady(draft, i) {
      if (draft.run.request.dryRun) {
        finish(draft, i, 'succeed', { reason: 'dry run' });
        return;
      }
      const earlier = draft.task(i).series;
      try {
        const { source, maxElements } = read(draft, i);
        draft.move(i, 'wait');
        if (earlier && draft.fields.roundKind === 'recover') {
          goOn(draft, i, { ...earlier, ...recoverFailed(earlier) });
        } else goOn(draft, i, { ...seriesOf(countElements(source, maxElements)), round: draft.fields.round });
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        finish(draft, i, 'fail', { reason: error.message });
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
      const { series } = draft.task(i);
      if (!series) return;
      if (draft.task(i).state === 'paused') draft.move(i, 'wait');
      for (const element of [...series.open, ...series.paused])
        tell(draft, i, series.round, element, 'resume');
      goOn(draft, i, { ...series, open: [...series.open, ...series.paused], paused: [] });
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
}

function isHeld(draft: Draft): boolean {
  return draft.fields.state === 'pausing' || draft.fields.state === 'paused';
}

function tell(
  draft: Draft,
  i: number,
  round: number,
  element: number,
  control: ChildControl['control'],
): void {
  draft.childControls.push({ task: i, round, element, control });
}

function listOf(text: string, name: string): string[] {
  const list = coerce('list', text, name);
  return Array.isArray(list)
    ? list.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    : [];
}

/** The children's outputs as one list per name, in the order of the elements. */
function collect(series: SeriesRun): Parameters {
  const lists: Record<string, string[]> = {};
  for (const outputs of Object.values(series.results)) {
    for (const [name, value] of Object.entries(outputs)) {
      lists[name] ??= [];
      lists[name].push(value);
    }
  }
  return Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, JSON.stringify(values)]));
}
