/** The `procedure` task: calls a stored procedure; its out parameters become outputs. */
import type { SqlValue } from '@orrery/core/params';
import { definePlugin, type Plugin, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { SqlSession } from './session.ts';
import type { Sessions } from './sessions.ts';
import { textValue } from './values.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const outName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,62}$/, 'is no name of an output; use letters, digits and "_"');

const schema = z.strictObject({
  connection: z.string().min(1).describe('The connection to call it on.').meta({ format: 'connection' }),
  procedure: z
    .string()
    .regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/, 'is no name of a procedure; write name or schema.name')
    .describe('The procedure: name, or schema.name.'),
  arguments: z
    .array(z.union([value, z.strictObject({ value: value.optional(), out: outName.optional() })]))
    .max(100)
    .default([])
    .describe('What it is given, in order: a value, or { out: name } for an out parameter, or both.'),
});

interface Argument {
  readonly value: SqlValue;
  readonly out?: string;
}

/** Made for one worker. */
export function procedureTask(sessions: Sessions): Plugin {
  return definePlugin({
    name: 'procedure',
    title: 'Procedure',
    description: 'Calls a stored procedure; its out parameters are handed on.',
    schema,
    async run(context) {
      const { with: settings, log, output } = context;
      const { connection, procedure } = settings;
      const given = settings.arguments.map(
        (each): Argument =>
          each !== null && typeof each === 'object'
            ? { value: each.value ?? null, out: each.out }
            : { value: each },
      );
      const { kind, settings: server } = givenConnection(context, connection, ['postgresql', 'mysql']);
      log(`CALL ${procedure} with ${given.length} arguments`);
      const call = kind === 'mysql' ? callMysql : callPostgres;
      const outputs = await sessions.use(context, { name: connection, kind, settings: server }, (session) =>
        call(session, procedure, given).catch((error: Error) => {
          throw new TaskFailure(`${procedure}: ${error.message}`);
        }),
      );
      for (const [name, text] of Object.entries(outputs)) output(name, text);
    },
  });
}

/** PostgreSQL answers with one row: the out parameters in order. */
async function callPostgres(session: SqlSession, procedure: string, given: readonly Argument[]) {
  const markers = given.map((_, k) => `$${k + 1}`).join(', ');
  const row = await oneRow(
    session,
    `CALL ${procedure}(${markers})`,
    given.map((each) => each.value),
  );
  const names = given.flatMap(({ out }) => out ?? []);
  return Object.fromEntries(names.map((name, k) => [name, textValue(row[k])]));
}

/** MySQL takes out parameters in variables of the session. */
async function callMysql(session: SqlSession, procedure: string, given: readonly Argument[]) {
  const outs = given.filter(({ out }) => out !== undefined);
  for (const { out, value: text } of outs) await oneRow(session, `SET @${out} = ?`, [text]);
  const markers = given.map(({ out }) => (out === undefined ? '?' : `@${out}`)).join(', ');
  const values = given.filter(({ out }) => out === undefined).map((each) => each.value);
  await oneRow(session, `CALL ${procedure}(${markers})`, values);
  if (outs.length === 0) return {};
  const row = await oneRow(session, `SELECT ${outs.map(({ out }) => `@${out}`).join(', ')}`, []);
  return Object.fromEntries(outs.map(({ out }, k) => [out ?? '', textValue(row[k])]));
}

async function oneRow(
  session: SqlSession,
  text: string,
  values: readonly SqlValue[],
): Promise<readonly unknown[]> {
  let found: readonly unknown[] = [];
  const row = (given: readonly unknown[]) => {
    found = given;
    return true;
  };
  await session.run(text, values, { columns() {}, row, ready: async () => {} });
  return found;
}
