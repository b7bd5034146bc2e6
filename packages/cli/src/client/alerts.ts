/** `orrery alerts`, `orrery rules` and `orrery channels`: alerts and their delivery. */
import { readFile } from 'node:fs/promises';
import { InvalidInput } from '@orrery/core/errors';
import { parse } from 'yaml';
import { type Connection, connect, numberOf } from './connect.ts';
import { fromNow, printJson, printTable, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
  readonly project?: string;
}

/** Lists groups of alerts. */
export async function listAlerts(options: Options & { readonly all?: boolean }): Promise<void> {
  const answer = await connect(options).listAlerts({ project: options.project, open: !options.all });
  if (options.json) return printJson(answer);
  if (answer.alerts.length === 0) return console.log(options.all ? 'no alerts' : 'no open alerts');
  console.log(
    table(
      ['ID', 'STATE', 'ABOUT', 'COUNT', 'SINCE', 'RULE', 'ACKNOWLEDGED', 'TEXT'],
      answer.alerts.map(({ id, state, subjects, count, firstAt, rule, acknowledged }) => [
        String(id),
        state,
        aboutOf(subjects),
        String(count),
        fromNow(firstAt),
        rule,
        acknowledged?.by ?? '',
        subjects[0]?.text ?? '',
      ]),
    ),
  );
}

interface Subject {
  readonly project: string;
  readonly name: string;
}

function aboutOf([first, ...others]: readonly Subject[]): string {
  return first ? nameOf(first, others.length) : '';
}

function nameOf({ project, name }: Subject, others: number): string {
  const whole = project === '' ? name : `${project}/${name}`;
  return others === 0 ? whole : `${whole} +${others}`;
}

/** Acknowledges an alert. */
export async function acknowledgeAlert(id: string, options: Options): Promise<void> {
  const answer = await connect(options).acknowledgeAlert({ id: numberOf(id, 'the number of an alert', 1) });
  if (options.json) return printJson(answer);
  console.log(`alert ${answer.id} is acknowledged by ${answer.acknowledged?.by ?? 'nobody: it is over'}`);
}

/** Mutes alerts for a while. */
export async function muteAlerts(
  options: Options & {
    readonly for: string;
    readonly reason: string;
    readonly name?: readonly string[];
    readonly kind?: readonly string[];
  },
): Promise<void> {
  const { name, kind, project = 'default', reason } = options;
  const match = { ...(name && { names: [...name] }), ...(kind && { kinds: [...kind] as never }) };
  const answer = await connect(options).setAlertMute({
    project,
    body: { match, until: `+${options.for}`, reason },
  });
  if (options.json) return printJson(answer);
  console.log(`muted for ${options.for}; orrery alerts unmute ${answer.id} --project '${project}' ends it`);
}

/** Lists mutes that last. */
export async function listMutes(options: Options): Promise<void> {
  const answer = await connect(options).listAlertMutes({ project: options.project });
  printTable(
    answer,
    options,
    'no mutes',
    ['ID', 'PROJECT', 'ALERTS', 'UNTIL', 'BY', 'REASON'],
    answer.mutes.map(({ id, project, match, until, by, reason }) => [
      String(id),
      project,
      Object.values(match).flat().join(' ') || 'all',
      fromNow(until),
      by,
      reason,
    ]),
  );
}

/** Ends a mute. */
export async function unmuteAlerts(id: string, options: Options): Promise<void> {
  const { project = 'default' } = options;
  const answer = await connect(options).endAlertMute({
    project,
    id: numberOf(id, 'the number of a mute', 1),
  });
  if (options.json) return printJson(answer);
  console.log(`mute ${id} is ended`);
}

/** Lists messages and how they fared. */
export async function listDeliveries(options: Options & { readonly state?: string }): Promise<void> {
  const { project, state } = options;
  const answer = await connect(options).listDeliveries({ project, state: state as never });
  printTable(
    answer,
    options,
    'no messages',
    ['ID', 'STATE', 'CHANNEL', 'ALERT', 'REASON', 'ABOUT', 'TRIES', 'WRITTEN', 'ANSWER'],
    answer.deliveries.map((one) => [
      String(one.id),
      one.state,
      one.channel,
      one.alert === null ? '' : String(one.alert),
      one.reason,
      one.about === null ? '' : `${one.about.kind} ${nameOf(one.about, one.others)}`,
      String(one.tries),
      fromNow(one.createdAt),
      one.answer ?? '',
    ]),
  );
}

/** Sends a message again that failed. */
export async function retryDelivery(id: string, options: Options): Promise<void> {
  const answer = await connect(options).retryDelivery({ id: numberOf(id, 'the number of a message', 1) });
  if (options.json) return printJson(answer);
  console.log(`message ${answer.id} is sent again`);
}

/** Lists rules. */
export async function listRules(options: Options): Promise<void> {
  const answer = await connect(options).listAlertRules({ project: options.project });
  printTable(
    answer,
    options,
    'no rules',
    ['PROJECT', 'RULE', 'CHANNELS', 'CHANGED'],
    answer.rules.map(({ project, rule, changedAt }) => [
      project,
      String(rule.name),
      (rule.channels as readonly string[]).join(', '),
      fromNow(changedAt),
    ]),
  );
}

/** Makes a rule from a file. */
export async function setRule(options: Options & { readonly file: string }): Promise<void> {
  const { project = 'default' } = options;
  const rule = await readObject(options.file);
  if (typeof rule.name !== 'string') throw new InvalidInput('a rule needs a name', options.file);
  const answer = await connect(options).setAlertRule({ project, name: rule.name, body: rule as never });
  if (options.json) return printJson(answer);
  console.log(`rule ${rule.name} of ${project} is set`);
}

/** Prints how often a rule would have fired. */
export async function previewRule(options: Options & { readonly file: string }): Promise<void> {
  const { project = 'default' } = options;
  const rule = await readObject(options.file);
  const answer = await connect(options).previewAlertRule({ project, body: rule as never });
  if (options.json) return printJson(answer);
  const { days, fired, matched, last, isCut } = answer;
  const when = last === null ? '' : `, last ${fromNow(last)}`;
  console.log(`would have fired ${fired} times in ${days} days, for ${matched} alerts${when}`);
  if (isCut) console.log('there were more alerts than a preview reads: these are the newest');
}

/** Deletes a rule. */
export async function deleteRule(name: string, options: Options): Promise<void> {
  const answer = await connect(options).deleteAlertRule({ project: options.project ?? 'default', name });
  if (options.json) return printJson(answer);
  console.log(`rule ${name} is deleted`);
}

/** Lists channels. */
export async function listChannels(options: Options): Promise<void> {
  const answer = await connect(options).listAlertChannels({ project: options.project });
  printTable(
    answer,
    options,
    'no channels',
    ['PROJECT', 'CHANNEL', 'KIND', 'STATE', 'CHANGED'],
    answer.channels.map(({ project, name, kind, disabled, changedAt }) => [
      project,
      name,
      kind,
      disabled === null ? 'in use' : `off: ${disabled}`,
      fromNow(changedAt),
    ]),
  );
}

/** Makes a channel from a file with its settings. */
export async function setChannel(
  name: string,
  options: Options & { readonly kind: string; readonly file: string },
): Promise<void> {
  const { kind, project = '*' } = options;
  const settings = await readObject(options.file);
  const answer = await connect(options).setAlertChannel({ project, name, body: { kind, settings } });
  if (options.json) return printJson(answer);
  console.log(`channel ${name} is set; orrery channels test ${name} --project '${project}' sends a message`);
}

/** Deletes a channel. */
export async function deleteChannel(name: string, options: Options): Promise<void> {
  const answer = await connect(options).deleteAlertChannel({ project: options.project ?? '*', name });
  if (options.json) return printJson(answer);
  console.log(`channel ${name} is deleted`);
}

/** Sends a test message and waits for its answer. */
export async function testChannel(name: string, options: Options): Promise<void> {
  const client = connect(options);
  const { delivery: id } = await client.testAlertChannel({ project: options.project ?? '*', name });
  for (;;) {
    const found = await client.showDelivery({ id });
    const tried = found.attempts.findLast(({ took }) => took !== null);
    if (found.state === 'waiting' && !tried) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    if (options.json) printJson(found);
    // The try may have ended after the delivery was read.
    const isSent = (tried?.state ?? found.state) === 'sent';
    if (!options.json) console.log(`${isSent ? 'sent' : 'not sent'}: ${tried?.answer ?? found.answer ?? ''}`);
    process.exitCode = isSent ? 0 : 1;
    return;
  }
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  let found: unknown;
  try {
    found = parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new InvalidInput((error as Error).message, file);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new InvalidInput('must be an object, in YAML or JSON', file);
  return found as Record<string, unknown>;
}
