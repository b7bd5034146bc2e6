/**
 * Alert groups of DolphinScheduler as an alert file. They are not part of a workflow export: they come from its API, as
 * the lists of alert groups and of alert instances. Passwords and tokens become names of secrets, and are not carried over.
 */
import { InvalidInput } from '@orrery/core/errors';
import { z } from 'zod';
import { Names } from './names.ts';
import { type ImportNote, Report } from './report.ts';

/** A channel or rule as an alert file writes it. */
export interface ImportedAlerts {
  readonly channels: readonly {
    readonly name: string;
    readonly kind: string;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  readonly rules: readonly {
    readonly name: string;
    readonly match: { readonly kinds: readonly string[]; readonly names: readonly string[] };
    readonly channels: readonly string[];
  }[];
}

/** A workflow whose schedule tells a group of its ends. */
export interface AlertUse {
  readonly workflow: string;
  readonly group: number;
  /** `SUCCESS`, `FAILURE` or `ALL`. */
  readonly type: string;
}

const group = z.object({
  id: z.coerce.number(),
  groupName: z.string(),
  alertInstanceIds: z
    .union([z.string(), z.array(z.coerce.number())])
    .nullish()
    .transform((ids) => (Array.isArray(ids) ? ids : (ids ?? '').split(',').filter(Boolean).map(Number))),
});

/** Parameters stand there as a map, or as the fields of a form; both as text or as JSON. */
const parameters = z
  .union([z.string().transform(readJson), z.unknown()])
  .pipe(
    z.union([
      z.array(z.object({ field: z.string(), value: z.unknown() })),
      z.record(z.string(), z.unknown()),
      z.null().transform(() => ({})),
    ]),
  )
  .transform((found) => {
    const pairs = Array.isArray(found)
      ? found.map(({ field, value }) => [field, value])
      : Object.entries(found);
    return new Map(pairs.map(([name, value]) => [String(name).toLowerCase(), textOf(value)]));
  });

const instance = z.object({
  id: z.coerce.number(),
  instanceName: z.string(),
  alertPluginName: z.string().nullish(),
  pluginInstanceParams: parameters,
});

const KINDS = {
  FAILURE: ['run-failed', 'run-timeout', 'task-timeout'],
  SUCCESS: ['run-succeeded'],
  ALL: ['run-failed', 'run-timeout', 'task-timeout', 'run-succeeded'],
} as const;

/** Reads the lists of groups and instances, as the API of DolphinScheduler answers them; throws `InvalidInput`. */
export function importAlertGroups(
  texts: readonly string[],
  uses: readonly AlertUse[],
  notes: ImportNote[],
): ImportedAlerts {
  const groups = new Map<number, z.output<typeof group>>();
  const instances = new Map<number, z.output<typeof instance>>();
  for (const entry of texts.flatMap(entriesOf)) {
    if (isObject(entry) && 'groupName' in entry) {
      const read = readEntry(group, entry, 'alert group');
      groups.set(read.id, read);
    } else {
      const read = readEntry(instance, entry, 'alert instance');
      instances.set(read.id, read);
    }
  }
  const names = new Names();
  const channels = new Map(
    [...instances.values()].map((one) => [one.id, channelOf(one, names.take(one.instanceName), notes)]),
  );
  const rules: ImportedAlerts['rules'][number][] = [];
  const ruleNames = new Names();
  const used = Map.groupBy(uses, ({ group: id, type }) => `${id} ${type}`);
  for (const same of used.values()) {
    const [{ group: id, type }] = same;
    const found = groups.get(id);
    const to = found?.alertInstanceIds.flatMap((one) => channels.get(one)?.name ?? []) ?? [];
    const kinds = KINDS[type as keyof typeof KINDS];
    if (found && kinds && to.length > 0) {
      const workflows = [...new Set(same.map(({ workflow }) => workflow))];
      const name = ruleNames.take(
        type === 'FAILURE' ? found.groupName : `${found.groupName}-${type.toLowerCase()}`,
      );
      rules.push({ name, match: { kinds, names: workflows }, channels: [...new Set(to)] });
      continue;
    }
    const why = found
      ? `no channel of alert group "${found.groupName}" could be carried over`
      : `alert group ${id} is not in the lists`;
    for (const { workflow } of same)
      new Report(workflow, undefined, notes).leftOut(`sends no alerts: ${why}`);
  }
  return { channels: [...channels.values()].filter((one) => one !== undefined), rules };
}

type Channel = ImportedAlerts['channels'][number];

/** The channel of an instance; undefined where there is no kind of the same meaning. */
function channelOf(
  { alertPluginName, pluginInstanceParams: given }: z.output<typeof instance>,
  name: string,
  notes: ImportNote[],
): Channel | undefined {
  const report = new Report(`channel ${name}`, undefined, notes);
  const plugin = alertPluginName ?? '';
  const secret = (field: string): string => {
    const called = `${name.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase()}_${field}`.replace(/^[^a-z_]+/, '_');
    report.leftOut(`give the masters its ${field} as the secret "${called}"`);
    return `\${secret.${called}}`;
  };
  const text = (field: string) => given.get(field.toLowerCase()) ?? '';
  const isOn = (field: string) => ['true', 'yes', '1'].includes(text(field).toLowerCase());
  if (isOn('isEnableProxy')) report.changed('went through a proxy; here it does not');
  switch (plugin.toLowerCase().replace(/[^a-z]/g, '')) {
    case 'email': {
      const to = `${text('receivers')},${text('receiverCcs')}`.split(/[,;\s]+/).filter(Boolean);
      const security = isOn('sslEnable') ? 'tls' : isOn('starttlsEnable') ? 'starttls' : 'none';
      if (/attachment/.test(text('showType')))
        report.changed('sent a table as an attachment; here all is in the text');
      const settings = {
        host: text('serverHost'),
        port: Number(text('serverPort')) || 25,
        security,
        from: text('sender'),
        to,
        ...(isOn('enableSmtpAuth') && { user: text('User'), password: secret('password') }),
      };
      return { name, kind: 'mail', settings };
    }
    case 'dingtalk': {
      const mobiles = text('atMobiles')
        .split(/[,;\s]+/)
        .filter(Boolean);
      const settings = {
        url: secret('url'),
        ...(text('Secret') && { secret: secret('secret') }),
        ...(text('Keyword') && { keyword: text('Keyword') }),
        ...(mobiles.length > 0 && { mobiles }),
        ...(isOn('isAtAll') && { everyone: true }),
      };
      return { name, kind: 'dingtalk', settings };
    }
    case 'feishu':
    case 'slack':
      return { name, kind: plugin.toLowerCase(), settings: { url: secret('url') } };
    case 'telegram':
      return { name, kind: 'telegram', settings: { token: secret('token'), chat: text('chatId') } };
    case 'pagerduty':
      return { name, kind: 'pagerduty', settings: { key: secret('key') } };
    default:
      report.leftOut(
        `an alert instance of ${plugin || 'an unknown plugin'} has no counterpart; set up a channel by hand`,
      );
      return undefined;
  }
}

/** The entries of a list, or of an answer of the API that has one. */
function entriesOf(text: string): unknown[] {
  const json = readJson(text);
  if (json === undefined)
    throw new InvalidInput('this is not JSON: a list of alert groups or alert instances');
  const answer = isObject(json) && 'data' in json ? json.data : json;
  const list = isObject(answer) && 'totalList' in answer ? answer.totalList : answer;
  if (!Array.isArray(list)) throw new InvalidInput('this is no list of alert groups or alert instances');
  return list;
}

function readEntry<Schema extends z.ZodType>(schema: Schema, entry: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(entry);
  if (read.success) return read.data;
  const [{ path, message }] = read.error.issues;
  throw new InvalidInput(`this is no ${what} of DolphinScheduler: ${path.join('.')}: ${message}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',');
  return value === null || value === undefined ? '' : String(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
