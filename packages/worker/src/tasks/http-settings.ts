/** The settings of an `http` task. */
import { z } from 'zod';

const MEGABYTE = 1024 * 1024;

const statusRange = /^([1-5]\d\d)-([1-5]\d\d)$/;

const status = z.union(
  [
    z.int().min(100).max(599),
    z.string().regex(statusRange, 'must be a status such as 200, or a range such as "200-299"'),
  ],
  'must be a status such as 200, or a range such as "200-299"',
);

const text = z.union([z.string(), z.number(), z.boolean()]);

const milliseconds = z.int().min(1).max(86_400_000);

/** The settings as written by people. */
export const httpSettings = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
      // Repeats the check for readers of the JSON Schema: the publishing server and the console's form.
      .regex(/^[hH][tT][tT][pP][sS]?:\/\//)
      .describe('Where to ask: an http or https address.'),
    connection: z
      .string()
      .min(1)
      .optional()
      .describe('Who asks: a connection of kind http, below whose address the url is.')
      .meta({ format: 'connection' }),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
    headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), text).default({}),
    query: z
      .record(z.string(), z.union([text, z.array(text)]))
      .default({})
      .describe('Added to the address.'),
    body: z.string().optional().describe('Text to send.'),
    json: z.unknown().optional().describe('A value to send as JSON.'),
    form: z.record(z.string(), text).optional().describe('Fields to send as a form.'),
    status: z
      .union([status, z.array(status).min(1)])
      .default('200-299')
      .describe('What counts as success: a status, a range, or a list of these.'),
    outputs: z
      .record(z.string(), z.string().regex(/^(\/.*)?$/, 'must be a JSON pointer such as /data/id'))
      .default({})
      .describe('Values to hand on: a JSON pointer into the answer for each name.'),
    redirects: z
      .enum(['none', 'same-host', 'any'])
      .default('same-host')
      .describe('Which redirects to follow, five at most.'),
    maxResponse: z
      .int()
      .min(0)
      .max(50 * MEGABYTE)
      .default(MEGABYTE)
      .describe('Bytes that an answer may have; a larger one fails the attempt.'),
    connectTimeout: milliseconds.default(10_000).describe('Milliseconds until the connection must be there.'),
    timeout: milliseconds.default(60_000).describe('Milliseconds until the whole answer must be there.'),
  })
  .refine(({ body, json, form }) => [body, json, form].filter((part) => part !== undefined).length <= 1, {
    error: 'give at most one of "body", "json" and "form"',
  });

/** The settings, completed. */
export type HttpSettings = z.output<typeof httpSettings>;

/** Whether a status counts as success. */
export function isExpected(code: number, { status }: Pick<HttpSettings, 'status'>): boolean {
  return [status].flat().some((entry) => {
    if (typeof entry === 'number') return entry === code;
    const [, from, to] = statusRange.exec(entry) ?? [];
    return code >= Number(from) && code <= Number(to);
  });
}
