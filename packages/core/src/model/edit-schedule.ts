/**
 * Edits one schedule in the text of a workflow file; the rest of the text and its comments stay unchanged.
 */
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import type { Workflow } from './types.ts';
import { scheduleKeys } from './write-workflow.ts';
import type { Keys } from './written-keys.ts';

/** Keys of a schedule as people write them; null deletes a key, and omitted keys stay. */
export type ScheduleEdit = Readonly<Record<string, unknown>>;

/**
 * Returns the text with the changed schedule, and the schedule's path. The text must be the workflow's own.
 */
export function editSchedule(
  text: string,
  { schedules, timezone }: Workflow,
  name: string,
  edit: ScheduleEdit,
): { readonly text: string; readonly path: readonly (string | number)[] } {
  const spec = schedules.find((one) => one.name === name);
  const document = parseDocument(text);
  const path = pathOf(document.contents, name);
  if (!spec || !path) throw new InvalidInput(said('file.noSchedule', { name }));
  const keys = edited(scheduleKeys(spec, timezone), edit);
  document.setIn(path, document.createNode(keys));
  const isJson = /^\s*\{/.test(text);
  const written = isJson
    ? `${JSON.stringify(document.toJS(), null, 2)}\n`
    : document.toString({ lineWidth: 0 });
  return { text: written, path };
}

function edited(keys: Keys, edit: ScheduleEdit): Keys {
  // A schedule has either key, so a new one replaces the other.
  const { cron, every } = edit;
  const other = cron === undefined && every === undefined ? {} : { cron: null, every: null };
  return Object.fromEntries(
    Object.entries({ ...keys, ...other, ...edit }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );
}

/** The path of a schedule: under `schedule`, or in the list `schedules`. */
function pathOf(contents: unknown, name: string): (string | number)[] | undefined {
  if (!isMap(contents)) return undefined;
  const single = contents.get('schedule', true) as Node | undefined;
  if (single && nameOf(single) === name) return ['schedule'];
  const list = contents.get('schedules', true);
  const place = isSeq(list) ? list.items.findIndex((item) => nameOf(item) === name) : -1;
  return place < 0 ? undefined : ['schedules', place];
}

function nameOf(schedule: unknown): unknown {
  if (isScalar(schedule)) return 'main';
  return isMap(schedule) ? (schedule.get('name') ?? 'main') : undefined;
}
