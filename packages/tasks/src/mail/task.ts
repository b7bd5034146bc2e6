/** The `mail` task: sends one message over a connection to a mail server. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { definePlugin, type Plugin, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { Probe } from '../connections/test-task.ts';
import type { Places } from '../places.ts';
import { openTransport, type SmtpSettings } from './transport.ts';

const addresses = z
  .union([z.string().min(1), z.array(z.string().min(1)).max(500)])
  .transform((given) => (typeof given === 'string' ? given.split(',').map((each) => each.trim()) : given));

const schema = z
  .strictObject({
    connection: z.string().min(1).describe('The mail server.').meta({ format: 'connection' }),
    to: addresses.describe('Who gets it: addresses, a list or separated by commas.'),
    cc: addresses.default([]).describe('Who gets a copy.'),
    bcc: addresses.default([]).describe('Who gets a copy unseen by others.'),
    subject: z.string().min(1).describe('The subject.'),
    text: z.string().optional().describe('The message as plain text.'),
    html: z.string().optional().describe('The message as HTML.'),
    attachments: z
      .array(z.string().min(1))
      .max(50)
      .default([])
      .describe("Files to attach: absolute, or below the worker's code folder."),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, 'give text or html');

/** Made for one worker. */
export function mailTask({ codeFolder }: Places): Plugin {
  return definePlugin({
    name: 'mail',
    title: 'Mail',
    description: 'Sends a message, with files attached.',
    schema,
    async run(context) {
      const { with: settings, signal, log, output } = context;
      const { connection, attachments, ...message } = settings;
      const { settings: given } = givenConnection(context, connection, ['smtp']);
      const smtp = given as unknown as SmtpSettings;
      const files = attachments.map((file) => resolve(codeFolder, context.hostPath(file)));
      const missing = files.find((file) => !existsSync(file));
      if (missing !== undefined) throw new TaskFailure(`attachment ${missing} does not exist`);
      const transport = openTransport(smtp, signal);
      try {
        const { accepted, rejected, messageId } = await transport.sendMail({
          ...message,
          from: smtp.from,
          attachments: files.map((path) => ({ path, filename: basename(path) })),
          disableUrlAccess: true,
        });
        log(`accepted for ${accepted.join(', ')}`);
        output('messageId', messageId);
        if (rejected.length > 0) throw new TaskFailure(`refused for ${rejected.join(', ')}`);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof TaskFailure
          ? error
          : new TaskFailure(`${smtp.host}: ${(error as Error).message}`);
      } finally {
        transport.close();
      }
    },
  });
}

/** Signs in and sends nothing. */
export const probeMail: Probe = async ({ signal }, settings) => {
  const smtp = settings as unknown as SmtpSettings;
  const transport = openTransport(smtp, signal);
  try {
    await transport.verify();
    return `the mail server ${smtp.host}`;
  } finally {
    transport.close();
  }
};
