/** `GET /attempts/{id}/log`: a piece of a log, the rest of it as a stream, or all of it; `/search`: lines of it. */
import { Readable } from 'node:stream';
import { attemptText } from '@orrery/core/contract';
import type { FastifyInstance } from 'fastify';
import { linkTo, serve } from '../input.ts';
import { downloadLog } from '../logs/download.ts';
import { findLog, openLog } from '../logs/find.ts';
import { followLog } from '../logs/follow.ts';
import { LineIndex } from '../logs/line-index.ts';
import { readBytes, readLines } from '../logs/read.ts';
import { searchLog } from '../logs/search.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addLogRoutes(app: FastifyInstance, context: Context): void {
  const lines = new LineIndex();

  serve(app, context, 'readLog', async ({ params: { id }, query, request }, reply) => {
    const { offset, limit, line, follow, download } = query;
    const send = (bytes: AsyncIterable<Uint8Array>) => {
      const stream = Readable.from(bytes, { objectMode: false });
      // Too late for an answer: the reader sees the stream break off.
      stream.on('error', (error) => context.onDefect(error, request.id));
      reply.type('text/plain; charset=utf-8');
      return stream;
    };
    if (download) {
      const log = await openLog(context, id);
      const file = `${attemptText(id).replace(/[^\w.-]/g, '_')}.log`;
      reply.header('content-disposition', `attachment; filename="${file}"`);
      return send(downloadLog(log));
    }
    if (follow) {
      // Refused before anything is sent.
      await findLog(context, id);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return send(followLog(context, id, offset, gone.signal));
    }
    if (line !== undefined) return readLines(context, lines, id, line);
    return readBytes(context, id, { offset, limit });
  });

  serve(app, context, 'searchLog', async ({ params: { id }, query, request }) => {
    const { after, ...search } = query;
    const log = await openLog(context, id);
    const [offset, line] = (after ?? '').split('.').map(Number);
    const { hits, looked, next } = await searchLog(
      log,
      { ...search, ...(after !== undefined && { after: { offset, line } }) },
      () => context.clock.monotonic(),
    );
    return {
      hits,
      size: log.size,
      looked,
      source: log.source,
      next: next ? linkTo(request, { after: `${next.offset}.${next.line}` }) : null,
    };
  });
}
