/** `orrery connections`: where the tasks of a project find other systems. */
import { readFileSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';
import { parse } from 'yaml';
import { type Connection, connect } from './connect.ts';
import { faint, fromNow, printDeleted, printJson, printTable, table } from './output.ts';
import { waitForEnd } from './wait.ts';
import { nameOf } from './workflow-name.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The options of a change of a connection. */
export interface ConnectionWishes {
  readonly kind?: string;
  readonly setting?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly file?: string;
  readonly description?: string;
}

/** Lists them. */
export async function listConnections(options: Options & { readonly project?: string }): Promise<void> {
  const answer = await connect(options).listConnections({ project: options.project });
  printTable(
    answer,
    options,
    'no connections',
    ['CONNECTION', 'KIND', 'DESCRIPTION', 'CHANGED'],
    answer.connections.map(({ project, name, kind, description, changedAt }) => [
      `${project}/${name}`,
      kind,
      description,
      fromNow(changedAt),
    ]),
  );
}

/** Lists the kinds there are, with their settings. */
export async function listKinds(options: Options): Promise<void> {
  const answer = await connect(options).listConnectionKinds();
  if (options.json) return printJson(answer);
  console.log(
    table(
      ['KIND', 'SETTINGS', 'PACKAGE'],
      answer.kinds.map(({ name, schema, driver }) => [
        name,
        Object.keys((schema.properties ?? {}) as object).join(', '),
        driver ?? '',
      ]),
    ),
  );
}

/** Shows one; secrets stay names. */
export async function showConnection(connection: string, options: Options): Promise<void> {
  print(await connect(options).showConnection(nameOf(connection, 'connection')), options);
}

/** Creates a connection, or changes the given parts of one. */
export async function setConnection(connection: string, options: Options & ConnectionWishes): Promise<void> {
  const { setting = {}, unset = [], file, description } = options;
  const key = nameOf(connection, 'connection');
  const client = connect(options);
  const { connections } = await client.listConnections({ project: key.project });
  const before = connections.find(({ name }) => name === key.name);
  const kind = options.kind ?? before?.kind;
  if (kind === undefined)
    throw new InvalidInput('a new connection needs one; see "orrery connections kinds"', '--kind');
  const kept = kind === before?.kind && file === undefined ? before.settings : {};
  const settings: Record<string, unknown> = { ...kept, ...(file === undefined ? {} : settingsIn(file)) };
  const { kinds } = await client.listConnectionKinds();
  const types = kinds.find(({ name }) => name === kind)?.schema.properties as
    | Readonly<Record<string, { readonly type?: unknown }>>
    | undefined;
  for (const [name, text] of Object.entries(setting))
    settings[name] = settingValue(text, types?.[name]?.type);
  for (const name of unset) {
    if (!Object.hasOwn(settings, name)) throw new InvalidInput(`there is no setting "${name}"`, '--unset');
    delete settings[name];
  }
  const answer = await client.setConnection({
    ...key,
    ifMatch: `"${before?.revision ?? 0}"`,
    body: { kind, settings, description: description ?? before?.description ?? '' },
  });
  print(answer, options);
}

/** Deletes one. */
export async function deleteConnection(connection: string, options: Options): Promise<void> {
  await connect(options).deleteConnection(nameOf(connection, 'connection'));
  printDeleted('connection', connection, options);
}

/** Connects from a worker; the exit code is 1 where that fails. */
export async function testConnection(
  connection: string,
  options: Options & { readonly workerGroup?: string },
): Promise<void> {
  const client = connect(options);
  const { workerGroup } = options;
  const { run } = await client.testConnection({ ...nameOf(connection, 'connection'), body: { workerGroup } });
  const ended = await waitForEnd(client, run, {
    taskEnded() {},
    stillWaiting: (why) => console.error(faint(`  ${why}`)),
  });
  const [task] = ended.tasks;
  const { outputs = {} } = await client.showTaskRun({ id: task.id });
  const ok = ended.state === 'success';
  process.exitCode = ok ? 0 : 1;
  if (options.json) return printJson({ run, ok, error: ok ? undefined : task.reason, ...outputs });
  if (ok) console.log(`connected to ${outputs?.server} in ${outputs?.latency} ms`);
  else console.log(`${task.reason ?? ended.state} ${faint(`(run ${run})`)}`);
}

function settingsIn(file: string): Record<string, unknown> {
  const value: unknown = parse(readFileSync(file, 'utf8'));
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new InvalidInput('holds no settings; write a YAML or JSON object', file);
}

/** A text as the kind wants it: a port is a number. */
function settingValue(text: string, type: unknown): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'integer' && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

type Shown = Awaited<ReturnType<ReturnType<typeof connect>['showConnection']>>;

function print(connection: Shown, { json }: Options): void {
  if (json) {
    printJson(connection);
    return;
  }
  const { project, name, kind, description, settings } = connection;
  console.log(faint([`${project}/${name}`, kind, description].filter(Boolean).join(', ')));
  const rows = Object.entries(settings).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  console.log(rows.length === 0 ? 'no settings' : table(['SETTING', 'VALUE'], rows));
}
