/** Frames of every kind, for tests. */
import type { Assignment, AttemptId, MasterFrame, Report, WorkerFrame } from '../frames.ts';

const attempt: AttemptId = { run: 2 ** 53 - 1, task: 3, shard: -1, number: 1 };
const shard: AttemptId = { run: 7, task: 0, shard: 2, number: 4 };

/** An assignment with everything in it. */
export function assignment(changes: Partial<Assignment> = {}): Assignment {
  return {
    attempt,
    take: 5,
    owner: 'm1',
    project: 'default',
    workflow: 'etl',
    taskName: 'load',
    type: 'shell',
    with: { script: 'echo "ä"', list: [1, null, true], nested: { deep: 0.5 } },
    params: { day: '2026-01-01', empty: '' },
    secrets: ['hush'],
    environment: { LANG: 'C' },
    shardCount: 3,
    shardParameter: 'beijing',
    timeout: 90 * 86_400_000,
    onLostContact: 'keep',
    tenant: 'sales',
    ...changes,
  };
}

/** A report with everything in it. */
export function report(changes: Partial<Report> = {}): Report {
  return {
    attempt: shard,
    outcome: { state: 'failed', outputs: { rows: '12' }, error: 'exit code 3', fatal: true },
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_001_000,
    exitCode: -3,
    cpuTime: 12.5,
    peakMemory: 2 ** 33,
    logTail: 'last line\n',
    ...changes,
  };
}

/** One of each, and of those with choices both. */
export const workerFrames: readonly WorkerFrame[] = [
  { type: 'hello', worker: 'w1', address: '10.0.0.5:7072', groups: ['default', 'gpu'], slots: 8 },
  { type: 'hello', worker: 'w1', address: '', groups: [], slots: 1, taskTypes: '[{"name":"spark"}]' },
  { type: 'hello', worker: 'w1', address: '', groups: ['default'], slots: 1, resume: { epoch: 3, take: 17 } },
  { type: 'take', epoch: 3, number: 18, room: 0 },
  {
    type: 'report',
    epoch: 3,
    reports: [report(), { ...report(), outcome: { state: 'success' }, exitCode: 0 }],
  },
  { type: 'begun', epoch: 3, attempts: [attempt, shard] },
  {
    type: 'beat',
    epoch: 3,
    beat: 9,
    take: 18,
    held: [shard],
    load: { cpu: 0.25, memory: 0.5, running: 2, disk: 0.75 },
  },
  {
    type: 'beat',
    epoch: 3,
    beat: 10,
    take: 18,
    held: [],
    load: { cpu: 0, memory: 0, running: 0 },
    unhealthy: 'no space left',
  },
  { type: 'handle', epoch: 3, attempt: shard, body: '{"id":"application_1_2"}' },
  { type: 'leave', epoch: 3 },
];

/** One of each, and of those with choices both. */
export const masterFrames: readonly MasterFrame[] = [
  { type: 'welcome', epoch: 3, lease: 30_000, take: 17, masters: ['m1:7071', '[::1]:7071'] },
  { type: 'refused', reason: 'another has its name', rejoin: false },
  { type: 'refused', reason: 'lost', rejoin: true },
  {
    type: 'give',
    take: 18,
    assignments: [assignment(), assignment({ with: undefined, timeout: undefined })],
  },
  { type: 'give', take: 19, assignments: [] },
  { type: 'acknowledge', attempts: [attempt] },
  { type: 'beat-committed', beat: 9 },
  { type: 'masters', masters: ['m1:7071', 'm2:7071'] },
  { type: 'store-away' },
  { type: 'kill', attempts: [shard] },
  { type: 'handle-kept', attempt: shard, kept: true },
  { type: 'handle-kept', attempt, kept: false },
  { type: 'end', assignment: assignment({ handle: 'application_1_2' }) },
];
