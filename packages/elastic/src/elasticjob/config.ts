/**
 * The `config` and `instances` entries of ElasticJob 3. An unknown key stops every Java instance, so only
 * Java's keys are written. Keys that a `Job` does not have (tracing, listeners, …) are preserved in the text.
 */
import { InvalidInput } from '@orrery/core/errors';
import { type Job, parseJob } from '@orrery/core/model';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { type JavaValue, javaEntry } from './java-yaml.ts';

/** Our names of the strategies that Java has. */
const STRATEGIES = { average: 'AVG_ALLOCATION', odevity: 'ODEVITY', rotate: 'ROUND_ROBIN' } as const;

const SECOND = 1_000;
const MINUTE = 60_000;

/** Reads a stored job. `zone`: what a missing time zone means, which is the one of the process, as in Java. */
export function readConfig(namespace: string, text: string, path: string, zone: string): Job {
  const entries = topLevel(text, path);
  const get = (key: string) => textOf(entries.get(key)?.value, path);
  const flag = (key: string) => /^(true|yes|on)$/i.test(get(key) ?? '');
  const number = (key: string, absent: number) => {
    const value = get(key);
    if (value === undefined) return absent;
    if (!/^[-+]?\d+$/.test(value)) throw new InvalidInput(`${key} "${value}" is no whole number`, path);
    return Number(value);
  };
  const maxTimeDiff = number('maxTimeDiffSeconds', -1);
  const monitorExecution = flag('monitorExecution');
  const read = parseJob({
    namespace,
    name: get('jobName'),
    description: get('description') || undefined,
    cron: get('cron') || undefined,
    timezone: readZone(get('timeZone')) ?? zone,
    shards: number('shardingTotalCount', 0),
    shardParameters: withoutExtra(get('shardingItemParameters') ?? '', number('shardingTotalCount', 0)),
    parameter: get('jobParameter') || undefined,
    strategy: readStrategy(get('jobShardingStrategyType')),
    // Java fails over only what it monitors.
    failover: flag('failover') && monitorExecution,
    misfire: flag('misfire'),
    monitorExecution,
    staticSharding: flag('staticSharding'),
    maxTimeDiff: maxTimeDiff < 0 ? undefined : `${maxTimeDiff * SECOND || 1}ms`,
    reconcileInterval: `${Math.max(0, number('reconcileIntervalMinutes', 0)) * MINUTE}ms`,
    disabled: flag('disabled'),
    overwrite: flag('overwrite'),
    props: readProps(entries.get('props')?.value, path),
  });
  if (!read.job) throw new InvalidInput(read.problems.map(({ message }) => message).join('; '), path);
  return read.job;
}

/** The text of a new entry. */
export function writeConfig(job: Job, zone: string): string {
  return [...blocksOf(job, zone).values()].join('');
}

/** The text of an entry after a change of the job: what did not change stays byte for byte. */
export function editConfig(text: string, job: Job, path: string, zone: string): string {
  const before = blocksOf(readConfig(job.namespace, text, path, zone), zone);
  const after = blocksOf(job, zone);
  const entries = topLevel(text, path);
  const starts = [...entries.values()].map(({ start }) => start);
  if (starts.some((start) => start > 0 && text[start - 1] !== '\n'))
    throw new InvalidInput('the entry is not in the form that ElasticJob writes; it cannot be edited', path);
  const blocks = new Map<string, string>();
  for (const [i, [key, { start }]] of [...entries].entries()) {
    const block = text.slice(start, starts[i + 1]);
    blocks.set(key, block.endsWith('\n') ? block : `${block}\n`);
  }
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const next = after.get(key);
    if (before.get(key) === next) continue;
    if (next === undefined) blocks.delete(key);
    else blocks.set(key, next);
  }
  const sorted = [...blocks].sort(([a], [b]) => (a < b ? -1 : 1));
  return text.slice(0, starts[0] ?? 0) + sorted.map(([, block]) => block).join('');
}

/** The text of an `instances` entry. */
export function writeInstance(instance: string, server: string): string {
  return javaEntry('jobInstanceId', instance) + javaEntry('serverIp', server);
}

/** The server of an `instances` entry, which may be JSON as well. */
export function readInstance(text: string, path: string): { readonly server: string | undefined } {
  return { server: textOf(topLevel(text, path).get('serverIp')?.value, path) };
}

/** Every key of a job with its text, in Java's order; keys without a value are missing. */
function blocksOf(job: Job, zone: string): Map<string, string> {
  const strategy = (STRATEGIES as Readonly<Record<string, string>>)[job.strategy] ?? job.strategy;
  const values: Readonly<Record<string, JavaValue | undefined>> = {
    cron: job.cron,
    description: job.description ?? '',
    disabled: job.disabled,
    failover: job.failover,
    jobName: job.name,
    jobParameter: job.parameter ?? '',
    jobShardingStrategyType: job.strategy === 'average' ? undefined : strategy,
    maxTimeDiffSeconds: job.maxTimeDiff === undefined ? -1 : Math.floor(job.maxTimeDiff / SECOND),
    misfire: job.misfire,
    monitorExecution: job.monitorExecution,
    overwrite: job.overwrite,
    props: job.props,
    reconcileIntervalMinutes: Math.ceil(job.reconcileInterval / MINUTE),
    shardingItemParameters: writeParameters(job),
    shardingTotalCount: job.shards,
    staticSharding: job.staticSharding,
    timeZone: job.timezone === zone ? undefined : writeZone(job.timezone),
  };
  const blocks = new Map<string, string>();
  for (const [key, value] of Object.entries(values)) {
    const block = value === undefined ? '' : javaEntry(key, value);
    if (block !== '') blocks.set(key, block);
  }
  return blocks;
}

/** Java takes parameters of shards that the job does not have, and ignores them. */
function withoutExtra(parameters: string, shards: number): string {
  const isExtra = (one: string) => Number(/^\s*(\d+)\s*=/.exec(one)?.[1] ?? -1) >= shards;
  return parameters
    .split(',')
    .filter((one) => !isExtra(one))
    .join(',');
}

function writeParameters({ name, shardParameters }: Job): string {
  return Object.entries(shardParameters)
    .filter(([, value]) => value !== '')
    .map(([shard, value]) => {
      if (/[,=，]/.test(value))
        throw new InvalidInput(`parameter "${value}" of shard ${shard} has a "," or "="`, `job ${name}`);
      return `${shard}=${value}`;
    })
    .join(',');
}

/** Java takes `GMT+08:00`, and no other form. */
function readZone(text: string | undefined): string | undefined {
  const [, sign, hours, minutes = '00'] = /^GMT([-+])(\d{1,2})(?::?(\d{2}))?$/.exec(text ?? '') ?? [];
  if (sign) return `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return text === 'GMT' ? 'UTC' : text || undefined;
}

function writeZone(zone: string): string {
  if (zone === 'UTC') return 'GMT+00:00';
  return /^[-+]/.test(zone) ? `GMT${zone}` : zone;
}

function readStrategy(text: string | undefined): string {
  if (!text) return 'average';
  return Object.entries(STRATEGIES).find(([, java]) => java === text)?.[0] ?? text;
}

interface TopEntry {
  readonly value: unknown;
  /** Where its text begins. */
  readonly start: number;
}

function topLevel(text: string, path: string): Map<string, TopEntry> {
  const document = parseDocument(text, { version: '1.1', logLevel: 'error' });
  const [error] = document.errors;
  const { contents } = document;
  if (error || !isMap(contents))
    throw new InvalidInput(`the registry entry cannot be read${error ? `: ${error.message}` : ''}`, path);
  return new Map(
    (contents as YAMLMap).items.map((item: Pair) => {
      if (!isScalar(item.key)) throw new InvalidInput('a key of the entry is no text', path);
      return [String(item.key.value), { value: item.value, start: item.key.range?.[0] ?? 0 }];
    }),
  );
}

/** A value as text, whatever type YAML gives it; undefined for null. */
function textOf(node: unknown, path: string): string | undefined {
  if (node === null || node === undefined) return undefined;
  if (!isScalar(node)) throw new InvalidInput('a value of the entry is no text', path);
  const { value, source } = node;
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'string' ? value : (source ?? String(value));
}

function readProps(node: unknown, path: string): Record<string, string> {
  if (node === null || node === undefined) return {};
  if (!isMap(node)) throw new InvalidInput('props is no map', path);
  return Object.fromEntries(
    node.items.map(({ key, value }) => [textOf(key, path) ?? '', textOf(value, path) ?? '']),
  );
}
