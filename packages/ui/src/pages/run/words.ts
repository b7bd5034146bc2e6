/** The words of the views, tabs and ways to run again: one key each, so that none is missing or left over. */
import type { Key } from '../../i18n/en.ts';
import type { AgainMode } from '../../model/again.ts';
import type { WaitKind } from '../../model/wait.ts';
import type { runViews, taskTabs } from './run-search.ts';

export const viewWords = {
  graph: 'run.view.graph',
  timeline: 'run.view.timeline',
  table: 'run.view.table',
} as const satisfies Record<(typeof runViews)[number], Key>;

export const tabWords = {
  overview: 'task.tab.overview',
  log: 'task.tab.log',
  io: 'task.tab.io',
  attempts: 'task.tab.attempts',
  shards: 'task.tab.shards',
} as const satisfies Record<(typeof taskTabs)[number], Key>;

export const againWords = {
  recover: 'again.recover',
  all: 'again.all',
  from: 'again.from',
  to: 'again.to',
  only: 'again.only',
} as const satisfies Record<AgainMode, Key>;

export const waitWords = {
  queue: 'state.queued',
  slots: 'wait.slots',
  priority: 'wait.priority',
  'task-group': 'wait.group',
  'no-worker': 'wait.noWorker',
  delay: 'wait.delay',
  retry: 'wait.retry',
  paused: 'state.paused',
  'sub-run': 'wait.subRun',
  dependency: 'wait.dependency',
  person: 'wait.person',
} as const satisfies Record<WaitKind, Key>;
