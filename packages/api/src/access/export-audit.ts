/**
 * Streams the whole audit as JSON lines, oldest first. Pages are read as fast as the receiver consumes them.
 */
import { Readable } from 'node:stream';
import type { Answer } from '@orrery/contract';
import type { AuditFilter, AuditRow } from '@orrery/store';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { timeText } from '../time.ts';

type Entry = Answer<'listAudit'>['entries'][number];

const PAGE = 1_000;

/** An entry as answers show it. */
export function shownEntry({ at, detail, ...entry }: AuditRow): Entry {
  return { ...entry, at: timeText(at), detail: detail as Entry['detail'] };
}

/** The entries after one, as a stream of lines; ends with those that there are now. */
export function exportAudit(
  { store, clock }: Context,
  { after = 0, ...filter }: AuditFilter & { readonly after?: number },
  reply: FastifyReply,
): Readable {
  reply.type('application/x-ndjson; charset=utf-8');
  const until = clock.now();
  async function* lines(): AsyncGenerator<string> {
    for (let last = after; ; ) {
      const rows = await store.listAudit({ ...filter, after: last, until, limit: PAGE });
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(shownEntry(row))}\n`).join('');
      if (rows.length < PAGE) return;
      last = rows[rows.length - 1].id;
    }
  }
  return Readable.from(lines());
}
