/** A signed webhook, by the Standard Webhooks convention: id, time and signature in headers, JSON in the body. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { channelKind } from '../channel.ts';
import { postJson } from '../request.ts';

/** The key of a secret as people copy it, `whsec_` and Base64, or of any other text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}

/**
 * The signatures of a body, one per secret, so that a secret can be replaced while the other is still in use.
 */
function signatures(secrets: readonly string[], id: string, seconds: number, body: string): string {
  return secrets
    .map((secret) => createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ');
}

/** Headers that this channel or the connection itself sets. */
const OWN = /^(?:webhook-(?:id|timestamp|signature)|content-(?:type|length)|transfer-encoding|connection)$/i;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const headersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) refuse(name, 'is not the name of a header');
    else if (OWN.test(name)) refuse(name, 'is a header that Orrery sets');
    else if (!VALUE.test(value)) refuse(name, 'must be one line of characters that a header may have');
  }
});

export const webhook = channelKind({
  schema: z.strictObject({
    url: z.url({ protocol: /^https?$/ }),
    secrets: z
      .array(z.string().min(1))
      .min(1)
      .max(3)
      .describe('Each signs the message; two while one is replaced.'),
    headers: headersSchema.default({}),
  }),
  secrets: ['secrets'],
  async send({ url, secrets, headers }, { text, id, thread }, tools) {
    const seconds = Math.floor(tools.now() / 1_000);
    const { title, lines, severity, link, command, action, reason, count, since, subjects } = text;
    const body = JSON.stringify({
      type: `alert.${reason}`,
      timestamp: new Date(tools.now()).toISOString(),
      data: {
        thread,
        title,
        lines,
        severity,
        link,
        command,
        action,
        count,
        since: new Date(since).toISOString(),
        subjects,
      },
    });
    return await postJson(
      {
        url,
        headers: {
          ...headers,
          'webhook-id': id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': signatures(secrets, id, seconds, body),
        },
        body,
      },
      tools,
    );
  },
});
