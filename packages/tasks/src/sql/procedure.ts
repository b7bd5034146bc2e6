/** The `procedure` task: calls a stored procedure; its out parameters become outputs. */
import type { SqlValue } from '@orrery/core/params';
import { definePlugin, type Plugin, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { CallArgument, SqlSession } from './session.ts';
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
    .regex(
      /^[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,2}$/,
      'is no name of a procedure; write name, schema.name or schema.package.name',
    )
    .describe('The procedure: name, schema.name, or schema.package.name.'),
  arguments: z
    .array(z.union([value, z.strictObject({ value: value.optional(), out: outName.optional() })]))
    .max(100)
    .default([])
    .describe('What it is given, in order: a value, or { out: name } for an out parameter, or both.'),
});

/** Calls a procedure and returns its out parameters by name. */
type Call = (
  session: SqlSession,
  procedure: string,
  given: readonly CallArgument[],
) => Promise<Record<string, string>>;

const calls: Readonly<Record<string, Call>> = {
  postgresql: callPostgres,
  mysql: callMysql,
  sqlserver: callSqlserver,
  oracle: callOracle,
};

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
        (each): CallArgument =>
          each !== null && typeof each === 'object'
            ? { value: each.value ?? null, out: each.out }
            : { value: each },
      );
      const { kind, settings: server } = givenConnection(context, connection, Object.keys(calls));
      log(`CALL ${procedure} with ${given.length} arguments`);
      const outputs = await sessions.use(context, { name: connection, kind, settings: server }, (session) =>
        calls[kind](session, procedure, given).catch((error: Error) => {
          throw new TaskFailure(`${procedure}: ${error.message}`);
        }),
      );
      for (const [name, text] of Object.entries(outputs)) output(name, text);
    },
  });
}

/** PostgreSQL answers with one row: the out parameters in order. */
async function callPostgres(session: SqlSession, procedure: string, given: readonly CallArgument[]) {
  const markers = given.map((_, k) => `$${k + 1}`).join(', ');
  const row = await oneRow(
    session,
    `CALL ${procedure}(${markers})`,
    given.map((each) => each.value),
  );
  return named(given, row);
}

/** MySQL takes out parameters in variables of the session. */
async function callMysql(session: SqlSession, procedure: string, given: readonly CallArgument[]) {
  const outs = given.filter(({ out }) => out !== undefined);
  for (const { out, value: text } of outs) await oneRow(session, `SET @${out} = ?`, [text]);
  const markers = given.map(({ out }) => (out === undefined ? '?' : `@${out}`)).join(', ');
  const values = given.filter(({ out }) => out === undefined).map((each) => each.value);
  await oneRow(session, `CALL ${procedure}(${markers})`, values);
  if (outs.length === 0) return {};
  return named(given, await oneRow(session, `SELECT ${outs.map(({ out }) => `@${out}`).join(', ')}`, []));
}

/** SQL Server takes out parameters in variables of the batch, whose last result they are. */
async function callSqlserver(session: SqlSession, procedure: string, given: readonly CallArgument[]) {
  const outs = given.flatMap(({ out }, k) => (out === undefined ? [] : [k + 1]));
  const list = given.map(({ out }, k) => (out === undefined ? `@p${k + 1}` : `@o${k + 1} OUTPUT`)).join(', ');
  const declared = outs.map((k) => `@o${k} NVARCHAR(MAX) = @p${k}`).join(', ');
  const batch = [
    outs.length > 0 && `DECLARE ${declared}`,
    `EXEC ${procedure} ${list}`.trimEnd(),
    outs.length > 0 && `SELECT ${outs.map((k) => `@o${k}`).join(', ')}`,
  ];
  const values = given.map(({ value: each }) => each);
  return named(given, await oneRow(session, batch.filter(Boolean).join('; '), values));
}

/** Oracle binds out parameters. */
async function callOracle(session: SqlSession, procedure: string, given: readonly CallArgument[]) {
  return named(given, (await session.call?.(procedure, given)) ?? []);
}

/** Values of out parameters, which come in their order. */
function named(given: readonly CallArgument[], values: readonly unknown[]): Record<string, string> {
  const names = given.flatMap(({ out }) => out ?? []);
  return Object.fromEntries(names.map((name, k) => [name, textValue(values[k])]));
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
