/**
 * An alert file: channels and rules as text, in one or several YAML documents. Without a `project`, channels
 * belong to all projects and rules to the project `default`, as on the command line.
 */
import { z } from 'zod';
import { problemsOf } from '../model/issues.ts';
import { type Path, type Problem, type Report, worded } from '../model/problem.ts';
import { name, object } from '../model/schema/values.ts';
import { readDocuments } from '../model/source.ts';
import { type Said, said } from '../texts/index.ts';
import { type AlertKind, alertKinds } from './kinds.ts';
import { type AlertRule, ruleSchema } from './schema.ts';

/** A channel of a file. */
export interface FileChannel {
  readonly project: string;
  readonly name: string;
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A rule of a file. */
export interface FileRule {
  readonly project: string;
  readonly rule: AlertRule;
}

/** Contents of a file, and every problem with its place. If there are problems, apply nothing. */
export interface AlertFile {
  readonly channels: readonly FileChannel[];
  readonly rules: readonly FileRule[];
  readonly problems: readonly Problem[];
}

/** Context of a file. */
export interface AlertFileOptions {
  /** Finds problems in the settings of a kind of channel; a path starts at the channel. */
  readonly checkSettings: (
    kind: string,
    settings: unknown,
  ) => (Pick<Problem, 'message' | 'said'> & { readonly path: Path }) | undefined;
  /** Whether a channel exists beside those of the file; without it, rules may name any channel. */
  readonly hasChannel?: (project: string, name: string) => boolean;
  /** File name, for messages. */
  readonly file?: string;
}

const project = z.union([z.literal('*'), name]);
const document = object({
  project: project.optional(),
  channels: z
    .array(object({ name, kind: z.string().min(1).max(100), settings: z.record(z.string(), z.unknown()) }))
    .default([]),
  rules: z.array(ruleSchema).default([]),
});

/** Whether a document is an alert file: it has channels or rules at its top level, and is not a workflow. */
export function isAlertDocument(keys: readonly string[]): boolean {
  return (keys.includes('rules') || keys.includes('channels')) && !keys.includes('tasks');
}

/** Whether no top-level key marks a document as anything else. */
export function isOnlyAlertDocument(keys: readonly string[]): boolean {
  return isAlertDocument(keys) && keys.every((key) => Object.hasOwn(document.shape, key));
}

/** Reads an alert file. Never throws. */
export function parseAlertFile(text: string, options: AlertFileOptions): AlertFile {
  const { checkSettings, hasChannel, file } = options;
  const channels = new Map<string, FileChannel>();
  const rules = new Map<string, FileRule>();
  const problems: Problem[] = [];
  const checks: (() => void)[] = [];
  for (const { value, readable, problems: found, locate } of readDocuments(text)) {
    problems.push(...found);
    if (!readable) continue;
    const report: Report = (path, code, words) =>
      problems.push({ path, code, ...worded(words), ...locate(path) });
    const read = document.safeParse(value, { reportInput: true });
    if (!read.success) {
      for (const { path, code, message, said } of problemsOf(read.error.issues))
        report(path, code, said ?? message);
      continue;
    }
    for (const [k, channel] of read.data.channels.entries()) {
      const of = read.data.project ?? '*';
      const wrong = checkSettings(channel.kind, channel.settings);
      if (wrong) report(['channels', k, ...wrong.path], 'bad-value', wrong.said ?? wrong.message);
      keep(channels, { project: of, ...channel }, of, channel.name, () =>
        report(
          ['channels', k, 'name'],
          'duplicate-name',
          said('file.channelTwice', { name: `${of}/${channel.name}` }),
        ),
      );
    }
    for (const [k, rule] of read.data.rules.entries()) {
      const of = read.data.project ?? 'default';
      keep(rules, { project: of, rule }, of, rule.name, () =>
        report(
          ['rules', k, 'name'],
          'duplicate-name',
          said('file.ruleTwice', { name: `${of}/${rule.name}` }),
        ),
      );
      const wrongKind = clusterKindProblem(of, rule.match.kinds);
      if (wrongKind) report(['rules', k, 'match', 'kinds'], 'bad-value', wrongKind);
      // Checked at the end: a channel may follow the rule that names it.
      checks.push(() => {
        const isThere = (one: string) =>
          [of, '*'].some((project) => channels.has(`${project}/${one}`) || hasChannel?.(project, one));
        for (const [at, one] of rule.channels.entries())
          if (!isThere(one)) report(['rules', k, 'channels', at], 'bad-value', noChannel(one));
        for (const [at, one] of (rule.escalate?.channels ?? []).entries())
          if (!isThere(one)) report(['rules', k, 'escalate', 'channels', at], 'bad-value', noChannel(one));
      });
    }
  }
  if (hasChannel) for (const check of checks) check();
  if (problems.length === 0 && channels.size + rules.size === 0)
    problems.push({ path: [], code: 'missing-key', ...worded(said('file.noAlerts')) });
  return {
    channels: [...channels.values()],
    rules: [...rules.values()],
    problems: file === undefined ? problems : problems.map((problem) => ({ ...problem, file })),
  };
}

/** The problem of a rule of one project that names a kind about the cluster; undefined if there is none. */
export function clusterKindProblem(project: string, kinds: readonly AlertKind[] = []): Said | undefined {
  const kind = project === '*' ? undefined : kinds.find((one) => 'ofCluster' in alertKinds[one]);
  return kind && said('file.clusterKind', { kind });
}

/** The problem of a rule whose channel does not exist. */
export function noChannel(name: string): Said {
  return said('file.noChannel', { name });
}

function keep<T>(into: Map<string, T>, one: T, of: string, called: string, twice: () => void): void {
  const key = `${of}/${called}`;
  if (into.has(key)) twice();
  else into.set(key, one);
}
