/** The search parameters of a run's address: the view, the selected task, filters, and the open dialog. */
import { listOf, oneOf, type SearchField, textField } from '../../app/search-fields.ts';
import { againModes } from '../../model/again.ts';
import { knownStates } from '../../model/state.ts';
import { readOpened } from '../../model/timeline-children.ts';

/** The three views of a run, in the order in which `v` goes through them. */
export const runViews = ['graph', 'timeline', 'table'] as const;

/** Which version of the workflow a replay runs. */
export const replayVersions = ['same', 'latest'] as const;

/** Which part of the graph a replay runs, unless it is the part that the run had. */
export const replayParts = ['from', 'to', 'only'] as const;

/** What the inspector shows of a task. */
export const taskTabs = ['overview', 'log', 'io', 'attempts', 'shards'] as const;

/** A stretch of time, `from..to` in epoch milliseconds. */
const rangeField: SearchField<{ readonly from: number; readonly to: number }> = {
  read: (text) => {
    const [, from, to] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text) ?? [];
    return to !== undefined && Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : undefined;
  },
  write: ({ from, to }) => `${from}..${to}`,
};

/** Rows of the timeline that are folded out. */
const openedField: SearchField<readonly string[]> = { read: readOpened, write: (keys) => keys.join(',') };

/** Controls that ask something first; `force` and `kill` are about the task of the address. */
const questions = ['pause', 'stop', 'force', 'kill', 'set-params', 'set-priority', 'tag'] as const;
export type Question = (typeof questions)[number];

export const runFields = {
  /** The question that is open. */
  ask: oneOf(questions),
  view: oneOf(runViews),
  task: textField(),
  tab: oneOf(taskTabs),
  attempt: textField(12),
  shard: textField(12),
  t: rangeField,
  open: openedField,
  q: textField(),
  state: listOf(knownStates),
  path: oneOf(['on']),
  history: oneOf(['on']),
  again: oneOf(againModes),
  replay: oneOf(replayVersions),
  part: oneOf(replayParts),
};
