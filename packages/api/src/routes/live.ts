/**
 * `GET /events`: changes as they happen, as server-sent events. Also marks every answer with the position of the feed
 * that it is at least as new as.
 */

import { Readable } from 'node:stream';
import { seqHeader } from '@orrery/contract/live';
import { said } from '@orrery/core/texts';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import type { Hub } from '../live/hub.ts';
import { Listener } from '../live/listener.ts';
import { Mark } from '../live/mark.ts';
import { readSeq } from '../live/seq.ts';
import { readTopics } from '../live/topics.ts';
import { Refusal } from '../problem.ts';

/** Connections that may listen at once; each holds a socket and up to a megabyte. */
const MOST_LISTENERS = 5_000;

/** What the operation does. */
export function liveHandlers({ metrics }: Context, hub: Hub) {
  return {
    followEvents: async ({ query, headers, request }, reply) => {
      const topics = readTopics(query.topics);
      const from = headers.lastEventId ?? query.after;
      const after = from === undefined ? undefined : readSeq(from);
      if (hub.size >= MOST_LISTENERS)
        throw new Refusal('busy', said('busy.listeners', { most: MOST_LISTENERS }));
      const stream = new Readable({ read: () => undefined });
      const listener = new Listener({ topics, after, identity: request.identity }, stream);
      stream.once('close', () => {
        hub.leave(listener);
        metrics?.listeners.set(hub.size);
      });
      hub.join(listener);
      metrics?.listeners.set(hub.size);
      // Proxies that collect an answer before they hand it on would hold everything back.
      reply.type('text/event-stream').header('x-accel-buffering', 'no');
      return stream;
    },
  } satisfies Partial<Handlers>;
}

/** Marks every answer with the position of the feed that it is at least as new as. */
export function addMark(app: FastifyInstance, context: Context): void {
  const mark = new Mark(context);
  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.open) return;
    // Without a mark a client only reads again; a request does not fail for it.
    const seq = await mark.seq().catch(() => undefined);
    if (seq !== undefined) reply.header(seqHeader, seq);
  });
}
