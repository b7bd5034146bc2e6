/** The `wait` task: looks from time to time until something is there. Between two looks it holds neither slot nor socket. */
import { InvalidInput } from '@orrery/core/errors';
import { parseDuration } from '@orrery/core/model';
import { createGate } from '@orrery/worker/http';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import type { Places } from '../places.ts';
import type { Sessions } from '../sql/sessions.ts';
import { type Checks, waitChecks } from './checks.ts';

const duration = z
  .union([z.int().positive(), z.string()])
  .transform((given, context) => {
    try {
      return typeof given === 'number' ? given * 1_000 : parseDuration(given);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  })
  .meta({ format: 'duration' });

const awaited = {
  file: z
    .string()
    .min(1)
    .optional()
    .describe("A file that must exist: absolute, or below the worker's code folder."),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An address whose answer must have the status.'),
  port: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('A port that must accept connections.'),
  sql: z
    .string()
    .min(1)
    .optional()
    .describe('A query that must return a row; it needs a connection.')
    .meta({ format: 'sql' }),
  object: z
    .string()
    .min(1)
    .optional()
    .describe(
      'An object that must exist in the bucket of the connection, of kind s3; with * at its end, any that begins so.',
    ),
  until: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('A time that must be past, as in 2026-11-18T06:00:00Z.'),
};

const schema = z
  .strictObject({
    ...awaited,
    host: z.string().min(1).default('localhost').describe('The host of the port.'),
    status: z.coerce.number().int().min(100).max(599).default(200).describe('The status of the answer.'),
    contains: z.string().optional().describe('A text that the answer must contain.'),
    connection: z
      .string()
      .min(1)
      .optional()
      .describe('The connection of the query or of the object.')
      .meta({ format: 'connection' }),
    every: duration.default(10_000).describe('How long to wait before the second look: 30s, 5m, or seconds.'),
    slowest: duration
      .default(60_000)
      .describe('Every look waits half as long again as the one before, at most this.'),
    timeout: duration.optional().describe('How long to wait at most, from the start of the task.'),
    onTimeout: z
      .enum(['fail', 'continue'])
      .default('fail')
      .describe('After that time: fail, or succeed with the output met = false.'),
  })
  .refine(
    (given) =>
      Object.keys(awaited).filter((key) => given[key as keyof typeof awaited] !== undefined).length === 1,
    `give one of ${Object.keys(awaited).join(', ')}`,
  )
  .refine(
    ({ sql, object, connection }) =>
      (sql ?? object) === undefined ? connection === undefined : connection !== undefined,
    'sql and object need a connection, and nothing else has one',
  );

/** What a `wait` task may say. */
export type WaitSettings = z.output<typeof schema>;

/** The state kept between two polls. */
interface State {
  readonly looks: number;
  readonly after: number;
  readonly seen: string;
}

/** Made for one worker. */
export function waitTask({ codeFolder, httpAllow = [] }: Places, sessions: Sessions): Plugin {
  const checks = waitChecks({ codeFolder, gate: createGate(httpAllow), sessions });
  return definePlugin({
    name: 'wait',
    title: 'Wait',
    description: 'Waits for a file, an object, an answer, a port, a row or a time, without taking a slot.',
    schema,
    binds: true,
    poll: (context, state) => look(context, checks, state as State | undefined),
  });
}

const GROWTH = 1.5;
/** Timers of Node end at 24 days. */
const LONGEST = 86_400_000;

async function look(context: TaskContext<WaitSettings>, checks: Checks, before: State | undefined) {
  const { with: settings, output, log, taskStarted } = context;
  const { every, slowest, timeout, onTimeout, until } = settings;
  const { met, seen } = await checks(context);
  const waited = Math.max(0, Date.now() - taskStarted);
  if (met || (timeout !== undefined && waited >= timeout)) {
    log(`${seen}; looked ${(before?.looks ?? 0) + 1} times in ${Math.round(waited / 1_000)} s`);
    if (!met && onTimeout === 'fail')
      throw new TaskFailure(`not met within ${timeout} ms: ${seen}`, { fatal: true });
    output('met', met);
    output('waited', Math.round(waited / 1_000));
    return { done: true } as const;
  }
  // Logged when it changes, not at every poll.
  if (seen !== before?.seen) log(seen);
  const after = before === undefined ? every : Math.min(Math.max(every, slowest), before.after * GROWTH);
  const next = until === undefined ? after : Date.parse(until) - Date.now();
  const left = timeout === undefined ? next : timeout - waited;
  const state: State = { looks: (before?.looks ?? 0) + 1, after, seen };
  return { done: false, after: Math.max(0, Math.min(next, left, LONGEST)), state } as const;
}
