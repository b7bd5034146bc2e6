/** `GET /attempts/{id}/log`: a piece of a log, the rest of it as a stream, or all of it; `/search`: lines of it. */

import { Readable } from 'node:stream';
import { attemptNameText } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { downloadLog } from '../logs/download.ts';
import { findLog, openLog } from '../logs/find.ts';
import { followLog } from '../logs/follow.ts';
import { LineIndex } from '../logs/line-index.ts';
import { readBytes, readLines } from '../logs/read.ts';
import { searchLog } from '../logs/search.ts';
import { linkTo } from '../page-link.ts';
import { Refusal } from '../problem.ts';
import { goneSignal } from '../turns.ts';

/** Logs that are sent as streams at once; each holds some 300 KB and a connection to its worker. */
const MOST_STREAMS = 500;

/** What the operations do. */
export function logHandlers(context: Context) {
  const lines = new LineIndex();
  let streams = 0;
  /** Counts a stream until its reader has gone. */
  const count = ({ raw }: FastifyReply) => {
    if (streams >= MOST_STREAMS) throw new Refusal('busy', said('busy.logs', { most: MOST_STREAMS }));
    streams++;
    raw.once('close', () => {
      streams--;
    });
  };

  return {
    readLog: async ({ params: { id }, query, request }, reply) => {
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
        count(reply);
        const file = `${attemptNameText(id).replace(/[^\w.-]/g, '_')}.log`;
        reply.header('content-disposition', `attachment; filename="${file}"`);
        return send(downloadLog(log));
      }
      if (follow) {
        // Refused before anything is sent.
        await findLog(context, id);
        count(reply);
        return send(followLog(context, id, offset, goneSignal(reply)));
      }
      if (line !== undefined) return readLines(context, lines, id, line);
      return readBytes(context, id, { offset, limit });
    },

    searchLog: async ({ params: { id }, query, request }) => {
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
    },
  } satisfies Partial<Handlers>;
}
