/**
 * `GET /events`: changes as they happen, as server-sent events. Also marks every answer with the position of the feed
 * that it is at least as new as.
 */
import { Readable } from 'node:stream';
import { seqHeader } from '@orrery/core/contract/live';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Hub } from '../live/hub.ts';
import { Listener } from '../live/listener.ts';
import { Mark } from '../live/mark.ts';
import { readSeq } from '../live/seq.ts';
import { readTopics } from '../live/topics.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';

/** Connections that may listen at once; each holds a socket and up to a megabyte. */
const MOST_LISTENERS = 5_000;

/** Adds the route and the mark. */
export function addLiveRoute(app: FastifyInstance, context: Context): void {
  const { store, clock, tokens, metrics } = context;
  const hub = new Hub({
    store,
    clock,
    onDefect: (error) => context.onDefect(error, 'live'),
    isValid: (identity) => tokens.isValid(identity),
    onSent: (lag) => metrics?.feedLag.observe(Math.max(0, lag) / 1_000),
  });
  const mark = new Mark(context);
  // Before the server waits for its connections to end: these would not.
  app.addHook('preClose', () => hub.stop());
  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.open) return;
    // Without a mark a client only reads again; a request does not fail for it.
    const seq = await mark.seq().catch(() => undefined);
    if (seq !== undefined) reply.header(seqHeader, seq);
  });

  serve(app, context, 'followEvents', async ({ query, headers, request }, reply) => {
    const topics = readTopics(query.topics);
    const from = headers.lastEventId ?? query.after;
    const after = from === undefined ? undefined : readSeq(from);
    if (hub.size >= MOST_LISTENERS)
      throw new Refusal('busy', `${MOST_LISTENERS} connections listen already; try again later`);
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
  });
}
