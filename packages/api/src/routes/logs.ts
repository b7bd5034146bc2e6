/** `GET /attempts/{id}/log`: a piece of a log as JSON, or with `follow` the rest of it as a stream of text. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { findLog } from '../logs/find.ts';
import { followLog } from '../logs/follow.ts';
import { readLog } from '../logs/read.ts';
import type { Context } from '../server.ts';

/** Adds the route. */
export function addLogRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'readLog', async ({ params: { id }, query, request }, reply) => {
    const { offset, limit, follow } = query;
    if (!follow) return readLog(context, id, { offset, limit });
    // Refused before anything is sent.
    await findLog(context, id);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const stream = Readable.from(followLog(context, id, offset, gone.signal), { objectMode: false });
    // Too late for an answer: the reader sees the stream break off.
    stream.on('error', (error) => context.onDefect(error, request.id));
    reply.type('text/plain; charset=utf-8');
    return stream;
  });
}
