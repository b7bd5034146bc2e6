/** `GET /attempts/{id}/log`: a piece of a log as JSON, or with `follow` the rest of it as a stream of text. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { flag, route } from '../input.ts';
import { findLog } from '../logs/find.ts';
import { followLog } from '../logs/follow.ts';
import { readLog } from '../logs/read.ts';
import { attemptName } from '../runs/names.ts';
import type { Context } from '../server.ts';

const MOST_BYTES = 1024 * 1024;

const bytes = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'is not a number of bytes')
    .transform(Number)
    .refine((count) => count >= least && count <= most, `must be from ${least} to ${most}`);

/** Adds the route. */
export function addLogRoutes(app: FastifyInstance, context: Context): void {
  route(app, {
    method: 'GET',
    path: '/attempts/:id/log',
    params: z.strictObject({ id: attemptName }),
    query: z.strictObject({
      offset: bytes(0, Number.MAX_SAFE_INTEGER).default(0),
      limit: bytes(1, MOST_BYTES).default(64 * 1024),
      follow: flag.default(false),
    }),
    async handle({ params: { id }, query: { offset, limit, follow }, request }, reply) {
      if (!follow) return readLog(context, id, { offset, limit });
      // Refused before anything is sent.
      await findLog(context, id);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const stream = Readable.from(followLog(context, id, offset, gone.signal), { objectMode: false });
      // Too late for an answer: the reader sees the stream break off.
      stream.on('error', (error) => context.onDefect(error, request.id));
      return reply.type('text/plain; charset=utf-8').send(stream);
    },
  });
}
