/** Mail, as HTML and as text. All messages about one problem are one conversation in the reader's mailbox. */
import { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { channelKind, type SendAnswer } from '../channel.ts';
import { type MessageText, plainText } from '../message.ts';
import { escaped } from '../text.ts';

const address = z
  .string()
  .min(3)
  .max(300)
  .regex(/^[^\r\n]*@[^\r\n]*$/, { error: 'must be a mail address on one line' });

const COLOURS = {
  resolved: '#0c6351',
  info: '#0a5ca8',
  warning: '#7a5200',
  error: '#a01c0a',
  critical: '#a01c0a',
} as const;

/** A failure reported by nodemailer: `responseCode` is the server's answer. */
interface MailError extends Error {
  readonly responseCode?: number;
}

/** Failures before a session was open. */
const NOT_OPENED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Connection timeout|Greeting never received/;

interface Transport {
  sendMail(message: object): Promise<{ readonly rejected: readonly string[]; readonly response: string }>;
  close(): void;
}

export const mail = channelKind({
  schema: z.strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535).default(587),
    security: z
      .enum(['none', 'starttls', 'tls'])
      .default('starttls')
      .describe('`starttls` refuses a server without encryption; `tls` is mostly on port 465.'),
    user: z.string().optional(),
    password: z.string().optional(),
    from: address,
    to: z.union([address.transform((one) => [one]), z.array(address).min(1).max(50)]),
    ca: z.string().optional().describe('The certificate of an authority, in PEM.'),
  }),
  secrets: ['password'],
  async send({ host, port, security, user, password, from, to, ca }, { text, id, thread }, { timeout }) {
    // Each of the server's answers may take `timeout`, but a try must end well within its lease.
    const socket = new Socket();
    const most = 2 * timeout;
    const timer = setTimeout(
      () => socket.destroy(new Error(`the session took longer than ${most} ms`)),
      most,
    );
    const transport = createTransport({
      socket,
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      auth: user === undefined ? undefined : { user, pass: password ?? '' },
      tls: ca === undefined ? undefined : { ca },
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
    }) as Transport;
    const place = /@([\w.-]+)/.exec(from)?.[1] ?? 'orrery.invalid';
    try {
      const { rejected, response } = await transport.sendMail({
        from,
        to,
        subject: oneLine(text.title),
        messageId: `<${id}@${place}>`,
        references: `<${thread}@${place}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        text: plainText(text),
        html: htmlOf(text),
      });
      const refused = rejected.length === 0 ? '' : `; refused for ${rejected.join(', ')}`;
      return { state: 'sent', answer: `${response}${refused}` };
    } catch (error) {
      return answerOf(error as MailError);
    } finally {
      clearTimeout(timer);
      socket.destroy();
      transport.close();
    }
  },
});

/** A refusal by the server is final, a request to come back later is not. A session that broke may have sent it. */
function answerOf({ message, responseCode }: MailError): SendAnswer {
  if (responseCode !== undefined && responseCode >= 500) return { state: 'refused', answer: message };
  return { state: 'again', answer: message, unsure: responseCode === undefined && !NOT_OPENED.test(message) };
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}

function htmlOf({ title, lines, link, command, action, severity }: MessageText): string {
  const paragraph = (html: string) => `<p style="margin:0 0 8px">${html}</p>`;
  return [
    `<div style="font:14px/1.5 sans-serif;border-left:4px solid ${COLOURS[severity]};padding:4px 0 4px 12px">`,
    `<p style="margin:0 0 8px;font-size:16px;font-weight:bold">${escaped(title)}</p>`,
    ...lines.map((line) => paragraph(escaped(line).replaceAll('\n', '<br>'))),
    ...(action === undefined ? [] : [paragraph(escaped(action))]),
    ...(command === undefined ? [] : [paragraph(`<code>${escaped(command)}</code>`)]),
    ...(link === undefined
      ? []
      : [paragraph(`<a href="${escaped(link).replaceAll('"', '%22')}">${escaped(link)}</a>`)]),
    '</div>',
  ].join('\n');
}
