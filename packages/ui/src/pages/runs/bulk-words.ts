/** What can be done with many runs, and the words for it. */
import type { AnswerOf } from '../../data/client.ts';
import type { Key } from '../../i18n/en.ts';

/** A change of many runs, as the server knows it. */
export type Bulk = AnswerOf<'showBulk'>;
export type BulkAction = Bulk['action'];

/** What can be done, in the order of the buttons. */
export const bulkActions = [
  'recover',
  'rerun',
  'pause',
  'resume',
  'stop',
  'tag',
] as const satisfies readonly BulkAction[];

/** The words for it. */
export const bulkWords = {
  recover: 'run.recover',
  rerun: 'run.rerun',
  pause: 'run.pause',
  resume: 'run.resume',
  stop: 'run.stop',
  tag: 'runs.bulk.tag',
  untag: 'runs.bulk.untag',
} as const satisfies Record<BulkAction, Key>;

/** The words for a bulk's progress, and the run state whose look it uses. */
export const bulkStates = {
  running: { word: 'runs.bulk.state.running', look: 'running' },
  done: { word: 'runs.bulk.state.done', look: 'success' },
  aborted: { word: 'runs.bulk.state.aborted', look: 'stopped' },
} as const satisfies Record<Bulk['state'], { word: Key; look: string }>;

/** What can become of a run of a bulk. */
export const bulkOutcomes = ['refused', 'told', 'left'] as const;
export type BulkOutcome = (typeof bulkOutcomes)[number];

/** The words for it, of many runs with their number and of one. */
export const outcomeWords = {
  refused: { many: 'runs.bulk.outcome.refused', one: 'runs.bulk.became.refused' },
  told: { many: 'runs.bulk.outcome.told', one: 'runs.bulk.became.told' },
  left: { many: 'runs.bulk.outcome.left', one: 'runs.bulk.became.left' },
} as const satisfies Record<BulkOutcome, { many: Key; one: Key }>;
