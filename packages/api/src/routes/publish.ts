/** `POST` or `PUT /workflows`: the text of a workflow file, YAML or JSON. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { flag, read } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { publish } from '../workflows/publish.ts';

const MOST_BYTES = 10 * 1024 * 1024;

const accepted = [
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'text/plain',
  'application/json',
];

const query = z.strictObject({
  dryRun: flag.default(false),
  note: z.string().max(1_000).default(''),
});

/** Adds the route to an instance of its own: here JSON is not parsed, so that problems have a line and a column. */
export function addPublishRoutes(app: FastifyInstance, context: Context): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(accepted, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.route({
    method: ['POST', 'PUT'],
    url: '/workflows',
    bodyLimit: MOST_BYTES,
    errorHandler: (error) => {
      if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
      throw new Refusal('too-large', 'a workflow file may have at most 10 MB; split it into several files');
    },
    handler: async (request) => {
      const { dryRun, note } = read(query, request.query, 'bad-request');
      const workflows = await publish({ text: textOf(request.body), dryRun, note }, context);
      return { dryRun, workflows };
    },
  });
}

function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array) || body.length === 0)
    throw new Refusal('bad-request', 'send the text of a workflow file as the body of the request');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('bad-request', 'the body is not text in UTF-8');
  }
}
