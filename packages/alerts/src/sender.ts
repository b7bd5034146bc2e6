/** One try of one delivery: secrets are resolved, the message is written and sent, and the answer is kept without them. */
import { InvalidInput } from '@orrery/core/errors';
import { putSecretsWithin, type ReadSecret, secretsWithin } from '@orrery/core/params';
import type { LeasedDelivery, StoredChannel, TryResult } from '@orrery/store';
import type { SendAnswer } from './channel.ts';
import { channelKinds } from './channels/index.ts';
import { type Language, writeMessage } from './message.ts';
import { readSettings, settingsProblemText } from './settings.ts';
import { cut, withoutControls } from './text.ts';

/** Between two tries; after the last one the delivery has failed. */
const BACK_OFF = [5, 30, 300, 1_800, 7_200, 18_000, 36_000].map((seconds) => seconds * 1_000);
const TIMEOUT = 15_000;
/** Characters of an answer that are kept. */
const MOST_ANSWER = 500;

/** The ports of a sender. */
export interface SenderPorts {
  readonly now: () => number;
  readonly readSecret?: ReadSecret;
  /** The address of the console, for links. */
  readonly console?: string;
  readonly language?: Language;
  /** How long one try may take, in milliseconds. */
  readonly timeout?: number;
}

/** Sends deliveries. */
export type SendDelivery = (delivery: LeasedDelivery) => Promise<TryResult>;

export function deliverySender(ports: SenderPorts): SendDelivery {
  return async (delivery) => {
    const begun = ports.now();
    const answer = await trySend(delivery, ports);
    return resultOf(delivery, answer, begun, ports.now());
  };
}

async function trySend(delivery: LeasedDelivery, ports: SenderPorts): Promise<SendAnswer> {
  const { to, channel, message, doubled, id, origin } = delivery;
  if (!to) return { state: 'refused', answer: `channel ${channel} does not exist` };
  if (to.disabled !== null)
    return { state: 'refused', answer: `channel ${channel} is not in use: ${to.disabled}` };
  const secrets: string[] = [];
  try {
    const resolved = await withSecrets(
      to.settings,
      to.project === '*' ? undefined : to.project,
      ports,
      secrets,
    );
    const settings = readSettings(to.kind, resolved);
    if ('wrong' in settings) {
      const wrong = settingsProblemText(settings.wrong);
      return { state: 'refused', answer: kept(`channel ${channel}: ${wrong}`, secrets) };
    }
    const { language = ports.language ?? 'en', template } = settings.shared;
    const text = writeMessage(message, { language, console: ports.console, doubled, template });
    // Receivers deduplicate by them, and may hear from several clusters.
    const outgoing = { text, id: `orrery-${origin}-${id}`, thread: `orrery-${origin}-${message.group}` };
    const tools = { now: ports.now, timeout: ports.timeout ?? TIMEOUT };
    const answer = await channelKinds[to.kind].send(settings.own, outgoing, tools);
    return { ...answer, answer: kept(answer.answer, secrets) };
  } catch (error) {
    // A secret that is not there may be put there; what else goes wrong may do so only now.
    return { state: 'again', answer: kept((error as Error).message, secrets) };
  }
}

function resultOf(
  { id, tries, channel }: LeasedDelivery,
  answer: SendAnswer,
  begun: number,
  now: number,
): TryResult {
  const base = { id, number: tries, channel, answer: answer.answer, took: now - begun };
  if (answer.state === 'sent') return { ...base, state: 'sent' };
  if (answer.state === 'refused')
    return { ...base, state: 'failed', ...(answer.gone ? { disable: answer.answer } : {}) };
  const wait = BACK_OFF[tries - 1];
  const unsure = answer.unsure === true;
  if (wait === undefined) return { ...base, state: 'failed', unsure };
  return { ...base, state: 'again', unsure, nextTry: now + Math.max(wait, answer.after ?? 0) };
}

/**
 * Settings with secrets in the place of their names; what was put there is added to `found`. A template is not
 * among them: it is shown to everybody who gets the message.
 */
async function withSecrets(
  settings: StoredChannel['settings'],
  project: string | undefined,
  { readSecret }: SenderPorts,
  found: string[],
): Promise<unknown> {
  const { template, ...own } = settings;
  const secrets = new Map<string, string>();
  for (const name of secretsWithin(own)) {
    if (!readSecret) throw new InvalidInput(`there is no secret "${name}": this master has none`);
    const secret = await readSecret(name, project);
    found.push(secret);
    secrets.set(name, secret);
  }
  return { ...(putSecretsWithin(own, secrets) as object), ...(template !== undefined && { template }) };
}

/** What others answered, as it is kept and shown: one line without secrets, and short. */
function kept(text: string, secrets: readonly string[]): string {
  const line = withoutControls(masked(text, secrets)).replaceAll('\n', ' ');
  return cut(line.trim(), MOST_ANSWER);
}

function masked(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce(
      (shown, secret) => shown.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***'),
      text,
    );
}
