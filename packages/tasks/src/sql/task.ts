/** The `sql` task: statements on a connection; parameters are bound, the result becomes outputs or a file. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import type { Markers } from '@orrery/core/params';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { Places } from '../places.ts';
import { runEmbedded } from './embedded.ts';
import { prepare, runJob, type SqlJob } from './job.ts';
import { SERVERS, serverKind } from './servers.ts';
import type { Sessions } from './sessions.ts';

const EMBEDDED = ['sqlite', 'duckdb'];
const statements = z.union([z.string().min(1), z.array(z.string().min(1))]).default([]);

const schema = z
  .strictObject({
    connection: z.string().min(1).describe('The connection to run on.').meta({ format: 'connection' }),
    sql: z
      .string()
      .min(1)
      .optional()
      .describe('One or several statements. ${name} is bound, also alone in quotes; a list in IN (${name}).')
      .meta({ format: 'sql' }),
    file: z
      .string()
      .min(1)
      .optional()
      .describe("In place of sql: a file of statements, absolute or below the worker's code folder."),
    before: statements.describe('Statements to run before, in the same session.'),
    after: statements.describe('Statements to run after these succeeded, in the same session.'),
    transaction: z.boolean().default(false).describe('Run everything in one transaction.'),
    maxRows: z.int().min(0).max(10_000).default(100).describe('How many rows the output rows may hold.'),
    csv: z
      .string()
      .min(1)
      .optional()
      .describe("Write the whole result to this file: absolute, or below the worker's code folder."),
    separator: z
      .string()
      .min(1)
      .optional()
      .describe(
        'What separates statements; needed where their bodies hold semicolons. Default: a semicolon.',
      ),
    explain: z
      .boolean()
      .default(false)
      .describe('Dry run: show how each statement would run, change nothing.'),
  })
  .refine(({ sql, file }) => (sql === undefined) !== (file === undefined), 'give either sql or file');

type Settings = z.output<typeof schema>;

/** Made for one worker, which keeps sessions between attempts. */
export function sqlTask({ codeFolder }: Places, sessions: Sessions): Plugin {
  return definePlugin({
    name: 'sql',
    title: 'SQL',
    description: 'Runs statements on a database; the result is handed on or written to a file.',
    schema,
    binds: true,
    async run(context) {
      const { with: settings, output } = context;
      const { kind, settings: given } = givenConnection(context, settings.connection, [
        ...SERVERS,
        ...EMBEDDED,
      ]);
      const { file, csv } = settings;
      if (file !== undefined) context.hostPath(file);
      if (csv !== undefined && !EMBEDDED.includes(kind)) context.hostPath(csv);
      const job = jobOf(context, codeFolder, markersOf(kind));
      const outputs = EMBEDDED.includes(kind)
        ? await runEmbedded(context, {
            kind,
            settings: given as { file: string; readOnly: boolean },
            job,
            codeFolder,
          })
        : await sessions.use(context, { name: settings.connection, kind, settings: given }, (session) =>
            runJob(session, job, context),
          );
      for (const [name, value] of Object.entries(outputs)) output(name, value);
    },
  });
}

function jobOf(
  { with: settings, params }: TaskContext<Settings>,
  codeFolder: string,
  markers: Markers,
): SqlJob {
  const { sql, file, before, after, separator, csv, transaction, explain, maxRows } = settings;
  const options = { params, separator, markers };
  const several = (scripts: string | readonly string[], what: string) =>
    [scripts].flat().flatMap((script) => prepare(script, what, options));
  try {
    const own = prepare(sql ?? textOf(codeFolder, file ?? ''), 'statement', options);
    if (own.length === 0) throw new InvalidInput('there is no statement', sql === undefined ? 'file' : 'sql');
    return {
      before: several(before, 'before'),
      statements: own,
      after: several(after, 'after'),
      csv: csv === undefined ? undefined : resolve(codeFolder, csv),
      transaction,
      explain,
      maxRows,
    };
  } catch (error) {
    if (error instanceof InvalidInput) throw new TaskFailure(error.message, { fatal: true });
    throw error;
  }
}

function markersOf(kind: string): Markers {
  if (kind === 'duckdb') return 'numbered';
  return kind === 'sqlite' ? 'question' : serverKind(kind).markers;
}

function textOf(codeFolder: string, file: string): string {
  try {
    return readFileSync(resolve(codeFolder, file), 'utf8');
  } catch (error) {
    throw new InvalidInput(`cannot be read: ${(error as Error).message}`, 'file');
  }
}
