/** Runs: starting, listing, showing and controlling them. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { askedScope, givenParameters, run, runRow, runState, startRequest, taskRow } from './run-shapes.ts';
import { idempotencyKey, limit, next, number, numberPath, pageSize, workflowText } from './shapes.ts';

/** A control is answered once it is recorded; the owner of the run carries it out. */
const control = {
  params: numberPath,
  status: 202,
  answer: z.object({ run: number, control: z.string() }),
} as const;

const task = z.strictObject({ task: z.string().min(1), reason: z.string().max(1_000).optional() });

export const runOperations = {
  startRun: {
    summary: 'starts a run',
    headers: z.strictObject({ idempotencyKey }),
    body: startRequest,
    status: 202,
    answer: z.object({
      id: number,
      state: runState,
      repeated: z.boolean().describe('the key was used before: this is the run it started'),
    }),
  },
  listRuns: {
    summary: 'runs, newest first, also those still queued',
    query: z.strictObject({
      workflow: workflowText.optional(),
      state: runState.optional(),
      limit,
      before: number.optional(),
    }),
    answer: z.object({ runs: z.array(runRow), next }),
  },
  showRun: { summary: 'a run with its first 1,000 task runs', params: numberPath, answer: run },
  listTasks: {
    summary: 'task runs of a run',
    params: numberPath,
    query: z.strictObject({
      limit: pageSize(1_000),
      from: z
        .int('is not the number of a task, counted from 0')
        .min(0, 'is not the number of a task, counted from 0')
        .max(9_999_999, 'is not the number of a task, counted from 0')
        .default(0),
    }),
    answer: z.object({ tasks: z.array(taskRow), next }),
  },
  pauseRun: { summary: 'starts nothing more; what runs is left to end', ...control },
  resumeRun: { summary: 'goes on after a pause', ...control },
  stopRun: { summary: 'ends it now; a queued one is taken back', ...control },
  recoverRun: { summary: 'runs again what failed or was stopped, and what follows', ...control },
  rerunRun: { summary: 'runs it again', ...control, body: z.strictObject({ scope: askedScope }) },
  forceTask: { summary: 'counts a task as succeeded', ...control, body: task },
  killTask: { summary: 'ends one task', ...control, body: task },
  startTaskNow: { summary: 'ends the delay of a task, or its wait for a retry', ...control, body: task },
  setRunParams: {
    summary: 'changes parameters of a run that waits or is paused',
    ...control,
    body: z.strictObject({ params: givenParameters }),
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
