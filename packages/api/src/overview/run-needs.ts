/** Needs about runs: failures, grouped where one hand mends many, and approvals that wait. */
import { errorOf, fingerprint, taskRunText } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import type { ApprovalRow, Failure, Store } from '@orrery/store';
import { outlinesOf, tasksOfKind } from '../runs/outlines.ts';
import { MOST_EXAMPLES, type Need, need } from './need.ts';

/** Runs that one action of a need is for. */
const MOST_ACTED_ON = 1_000;

/** Runs that failed in the same task of the same workflow with the same kind of error are one need. */
export async function failedRuns(store: Store, failures: readonly Failure[], most: number): Promise<Need[]> {
  const tasksOf = await outlinesOf(store).read(failures);
  const groups = Map.groupBy(
    failures.map((run) => {
      const { reason } = JSON.parse(run.fields) as { reason?: string };
      // For a broken run, the reason it was set aside explains more than the tasks that had failed before.
      const failed = run.state === 'broken' ? null : run.task;
      const names = tasksOfKind(run.kind, tasksOf(run));
      const task = failed && (names[failed.task] ?? `task ${failed.task}`);
      const error = failed ? errorOf(JSON.parse(failed.body)) : (reason ?? null);
      // A version without names cannot be read: nothing but another version can be run.
      return { run, task, error, planned: names.length > 0 };
    }),
    ({ run, task, error }) =>
      JSON.stringify([run.workflow, task, fingerprint(error), ...(run.state === 'broken' ? ['broken'] : [])]),
  );
  return [...groups].map(([key, list]) => {
    const ids = list.map(({ run }) => run.id).sort((a, b) => b - a);
    const [{ run, task, error }] = list;
    const workflow = `${run.project}/${run.name}`;
    const what = task === null ? workflow : said('need.task', { workflow, task });
    // If the limit of failures was reached, there may be more of each.
    const times = `${list.length.toLocaleString('en')}${failures.length >= most ? '+' : ''}`;
    const often = times === '1' ? '' : said('need.times', { times });
    const because =
      error === null ? '' : said('need.because', { error: error.split('\n', 1)[0].slice(0, 300) });
    return need('failed', key, {
      said: said(run.state === 'broken' ? 'need.broken' : 'need.failed', { what, often, because }),
      fields: { workflow, task, state: run.state, count: list.length, times, error },
      since: Math.min(...list.map((each) => each.run.endedAt)),
      count: list.length,
      examples: ids.slice(0, MOST_EXAMPLES).map(String),
      address: `/runs/${ids[0]}${task === null ? '' : `?task=${encodeURIComponent(task)}`}`,
      ...(list.some(({ planned }) => planned)
        ? {
            action: { name: 'recover', ids: ids.slice(0, MOST_ACTED_ON) },
            command: `orrery runs recover ${ids.slice(0, 20).join(' ')}`,
          }
        : { command: `orrery runs replay ${ids[0]} --latest` }),
      mark: ids[0],
    });
  });
}

/** Approvals of the same task of the same workflow are one need. */
export function openApprovals(approvals: readonly ApprovalRow[]): Need[] {
  const groups = Map.groupBy(approvals, ({ project, workflow, name }) => `${project}/${workflow}: ${name}`);
  return [...groups].map(([key, list]) => {
    const [{ run, project, workflow: of, name: task, message, since }] = list;
    const workflow = `${project}/${of}`;
    const count = list.length;
    const question = message.split('\n', 1)[0].slice(0, 300);
    return need('approval', key, {
      said: said('need.approval', { workflow, task, count, question }),
      fields: { workflow, task, count, question },
      since,
      count,
      examples: list.slice(0, MOST_EXAMPLES).map(({ run }) => taskRunText({ run, task })),
      address: `/runs/${run}?task=${encodeURIComponent(task)}`,
      command: `orrery approvals show ${taskRunText({ run, task })}`,
      mark: Math.max(...list.map((one) => one.since)),
    });
  });
}
