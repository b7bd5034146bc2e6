/** Needs about time: days without a success by their deadline, and runs that take longer than they may. */
import { said } from '@orrery/core/texts';
import type { Undelivered, WrittenAlert } from '@orrery/store';
import { quoted } from '../node-commands.ts';
import { MOST_EXAMPLES, type Need, need } from './need.ts';

/** Deadlines that were missed, of a workflow together; and runs that are over their time limit. */
export function raisedAlerts(alerts: readonly WrittenAlert[]): Need[] {
  const deadlines = alerts.filter(({ kind }) => kind === 'deadline');
  const long = alerts.filter(({ kind }) => kind !== 'deadline');
  return [
    ...[...Map.groupBy(deadlines, ({ workflow }) => workflow)].map(([workflow, list]) =>
      missed(workflow, list),
    ),
    ...[...Map.groupBy(long, ({ workflow }) => workflow)].map(([workflow, list]) => overtime(workflow, list)),
  ];
}

/** Alert messages that were never delivered; undefined if there are none. */
export function undelivered({
  failed,
  firstFailed,
  lastFailed,
  channel,
  answer,
}: Undelivered): Need | undefined {
  if (failed === 0) return undefined;
  return need('undelivered', 'channels', {
    said: said('need.undelivered', { count: failed, channel: channel ?? '', answer: answer ?? '' }),
    fields: { count: failed, channel, answer },
    since: firstFailed,
    count: failed,
    address: '/alerts',
    command: 'orrery alerts messages --state failed',
    mark: lastFailed ?? 0,
  });
}

function missed(id: number, list: readonly WrittenAlert[]): Need {
  const [{ text, project, name, run }] = list;
  const workflow = `${project}/${name}`;
  const count = list.length;
  return need('deadline', String(id), {
    said: said('need.deadline', { workflow, count, text }),
    fields: { workflow, count, text },
    since: Math.min(...list.map(({ at }) => at)),
    count,
    examples: runsOf(list),
    address: run === null ? `/workflows/${workflow}` : `/runs/${run}`,
    command: run === null ? `orrery run ${quoted(workflow)} --wait` : `orrery why ${run}`,
    mark: Math.max(...list.map(({ at }) => at)),
  });
}

function overtime(id: number, list: readonly WrittenAlert[]): Need {
  const runs = runsOf(list);
  const [{ project, name, text }] = list;
  const workflow = `${project}/${name}`;
  return need('overtime', String(id), {
    said: said('need.overtime', { workflow, count: runs.length, text }),
    fields: { workflow, count: runs.length },
    since: Math.min(...list.map(({ at }) => at)),
    count: runs.length,
    examples: runs,
    address: `/runs/${runs[0]}`,
    command: `orrery why ${runs[0]}`,
    mark: Math.max(...list.map(({ at }) => at)),
  });
}

function runsOf(list: readonly WrittenAlert[]): string[] {
  return [...new Set(list.flatMap(({ run }) => (run === null ? [] : [String(run)])))].slice(0, MOST_EXAMPLES);
}
