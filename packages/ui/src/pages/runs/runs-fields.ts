/** The filters of the list of runs: the query of its address, which is the query of its request. */
import { type AnswerOf, runKinds, runTriggers } from '@orrery/sdk/client';
import {
  listOf,
  namesField,
  numberField,
  numbersField,
  oneOf,
  type SearchField,
  type SearchOf,
  spanField,
  textField,
  timeField,
} from '../../app/search-fields.ts';
import type { SetSearch } from '../../app/use-search.ts';
import type { Key } from '../../i18n/en.ts';
import { type RunsFilter, runsOrders } from '../../model/runs.ts';
import { bulkOutcomes, bulkWords } from './bulk-words.ts';

type State = AnswerOf<'listRuns'>['runs'][number]['state'];

/** States of runs, in the order in which people look for them. */
export const orderedStates = Object.keys({
  failed: 0,
  broken: 0,
  running: 0,
  queued: 0,
  waiting: 0,
  paused: 0,
  pausing: 0,
  stopping: 0,
  failing: 0,
  stopped: 0,
  success: 0,
} satisfies Record<State, 0>) as State[];

/** Limit of ids in an address; beyond it the address only says that the selected runs are shown. */
const MOST_IN_ADDRESS = 1_000;

/** The runs that a bulk action is about: some, all that the filters match, or those selected in this tab. */
type Meant = readonly number[] | 'all' | 'chosen';

const meantField: SearchField<Meant> = {
  read: (text) => (text === 'all' || text === 'chosen' ? text : numbersField.read(text)),
  write: (meant) => (typeof meant === 'string' ? meant : numbersField.write(meant)),
};

/** Some runs as an address can say them. */
export function meant(ids: readonly number[]): Meant {
  return ids.length <= MOST_IN_ADDRESS ? ids : 'chosen';
}

/** The dialogs of the page: to save the view, and one for each bulk action. */
const dialogs = ['save', ...(Object.keys(bulkWords) as (keyof typeof bulkWords)[])] as const;

export const runsFields = {
  state: listOf(orderedStates),
  workflow: textField(),
  project: textField(),
  trigger: listOf(runTriggers),
  kind: oneOf(runKinds),
  q: textField(200),
  from: timeField,
  to: timeField,
  version: numbersField,
  duration: spanField,
  wait: spanField,
  owner: textField(),
  worker: textField(),
  param: namesField,
  tag: namesField,
  error: textField(500),
  fingerprint: textField(500),
  parent: numberField(1, Number.MAX_SAFE_INTEGER),
  backfill: numberField(1, Number.MAX_SAFE_INTEGER),
  /** Put together instead of one by one. */
  group: oneOf(['workflow', 'error']),
  /** The picture above the list; bars unless given. */
  plot: oneOf(['scatter']),
  /** Which runs come first; the newest unless given. */
  order: oneOf(runsOrders),
  /** The columns; those that were shown last unless given. */
  columns: namesField,
  /** The dialog that is open, and the runs that a bulk action is about. */
  ask: oneOf(dialogs),
  of: meantField,
  /** The run in the inspector. */
  run: numberField(1, Number.MAX_SAFE_INTEGER),
  /** The bulk in the inspector, and which of its runs are listed there. */
  bulk: numberField(1, Number.MAX_SAFE_INTEGER),
  outcome: oneOf(bulkOutcomes),
};

/** The search parameters of the address. */
export type RunsSearch = SearchOf<typeof runsFields>;

/** Changes it. */
export type SetRunsSearch = SetSearch<typeof runsFields>;

/** The fields that filter, with their words. */
export const fieldWords = {
  state: 'runs.field.state',
  workflow: 'runs.field.workflow',
  project: 'runs.field.project',
  trigger: 'runs.field.trigger',
  kind: 'runs.field.kind',
  q: 'runs.field.q',
  from: 'runs.field.from',
  to: 'runs.field.to',
  version: 'runs.field.version',
  duration: 'runs.field.duration',
  wait: 'runs.field.wait',
  owner: 'runs.field.owner',
  worker: 'runs.field.worker',
  param: 'runs.field.param',
  tag: 'runs.field.tag',
  error: 'runs.field.error',
  fingerprint: 'runs.field.fingerprint',
  parent: 'runs.field.parent',
  backfill: 'runs.field.backfill',
} as const satisfies Record<keyof RunsFilter, Key>;

/** Their names. */
export const filterNames = Object.keys(fieldWords) as readonly (keyof RunsFilter)[];

/** The part of the address that filters. */
export function filterOf(search: RunsFilter): RunsFilter {
  return Object.fromEntries(
    filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The instant of a time in the address. */
export function instantOf(text: string, now: number): number {
  const [, amount, unit] = /^-(\d+)([smhd])$/.exec(text) ?? [];
  return unit === undefined ? Date.parse(text) : now - Number(amount) * units[unit];
}
