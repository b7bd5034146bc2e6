/** Channels of alerts as error handlers of elastic jobs. They are loaded only by a process that uses one. */
import { InvalidInput } from '@orrery/core/errors';
import { secretsWithin } from '@orrery/core/params';
import type { ErrorChannel, JobTrouble, SendTrouble } from '@orrery/elastic';

/** How long one try may take, in milliseconds. */
const TIMEOUT = 5_000;
/** Characters of one line of a message. */
const MOST_OF_LINE = 1_000;

/** Checks the settings and opens the channel; refuses settings that are wrong. */
export async function openErrorChannel({ channel, settings }: ErrorChannel): Promise<SendTrouble> {
  const { channelKinds } = await import('@orrery/alerts');
  const at = `onError, channel ${channel}`;
  const kind = Object.hasOwn(channelKinds, channel) ? channelKinds[channel] : undefined;
  if (!kind)
    throw new InvalidInput(`unknown channel; use one of ${Object.keys(channelKinds).join(', ')}`, at);
  const [secret] = secretsWithin(settings);
  if (secret !== undefined)
    throw new InvalidInput(
      `secret "${secret}" is known to servers only; read it from the environment of this process`,
      at,
    );
  const read = kind.schema.safeParse(settings);
  if (!read.success) {
    const [{ path, message }] = read.error.issues;
    throw new InvalidInput(`${['settings', ...path].join('.')}: ${message}`, at);
  }
  return async (trouble) => {
    const outgoing = {
      text: messageOf(trouble),
      id: `orrery-${trouble.id}`,
      thread: `orrery-job-${trouble.namespace}/${trouble.job}`,
    };
    const answer = await kind.send(read.data, outgoing, { now: Date.now, timeout: TIMEOUT });
    if (answer.state === 'sent') return { sent: true };
    const why = oneLine(answer.answer).slice(0, MOST_OF_LINE);
    return { sent: false, again: answer.state === 'again', why };
  };
}

function messageOf({ namespace, job, server, since, count, errors }: JobTrouble) {
  const lines = errors.map((error) => oneLine(error).slice(0, MOST_OF_LINE));
  const more = count - errors.length;
  return {
    title: oneLine(`${namespace}/${job} on ${server}: ${count === 1 ? '1 error' : `${count} errors`}`),
    lines: more > 0 ? [...lines, `… and ${more} more`] : lines,
    severity: 'error' as const,
    link: undefined,
    command: undefined,
    action: undefined,
    reason: 'new' as const,
    count,
    since,
    subjects: [],
  };
}

/**
 * Errors thrown by handlers are untrusted: removes line breaks and characters that could mislead a reader.
 */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
