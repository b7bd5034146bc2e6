/**
 * Records refusals in the audit: wrong tokens and signatures, and denials by role or project. Anyone can
 * cause them, so their rate per minute is limited; the next entry tells how many were left out.
 */
import type { Clock } from '@orrery/core/timing';
import { actFor, type Store } from '@orrery/store';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../problem.ts';
import { askerOf } from './asker.ts';
import { nobody } from './identity.ts';

/** Entries a minute that one process writes. */
const MOST = 60;

const MINUTE = 60_000;

/** Records refusals, within bounds. */
export class Refusals {
  private readonly store: Store;
  private readonly clock: Clock;
  private since = Number.NEGATIVE_INFINITY;
  private written = 0;
  private leftOut = 0;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.store = store;
    this.clock = clock;
  }

  /** Notes the answer to a request, if it is a refusal that people should hear of. */
  note(request: FastifyRequest, error: unknown): void {
    if (!(error instanceof Refusal) || !isTold(request, error)) return;
    const now = this.clock.monotonic();
    if (now - this.since >= MINUTE) {
      this.since = now;
      this.written = 0;
    }
    if (++this.written > MOST) {
      this.leftOut++;
      return;
    }
    const { method, routeOptions, identity = nobody } = request;
    const { leftOut } = this;
    this.leftOut = 0;
    const detail = { reason: error.message, kind: error.kind, ...(leftOut > 0 && { leftOut }) };
    const subject = `${method} ${routeOptions.url ?? ''}`;
    const entry = { actor: identity.name, action: 'access.refuse', subject, detail, now: this.clock.now() };
    // Not awaited: a store that is away must not change the answer to a stranger.
    actFor(askerOf({ identity, ip: request.ip, id: request.id }), () => this.store.recordAudit(entry)).catch(
      () => {
        this.leftOut++;
      },
    );
  }
}

/** Requests without a token are not recorded: every browser that is not signed in sends some. */
function isTold({ headers, routeOptions }: FastifyRequest, { kind }: Refusal): boolean {
  if (kind === 'not-allowed' || kind === 'too-many-tries' || kind === 'expired') return true;
  if (kind === 'not-found') return routeOptions.config?.operation === 'receiveHook';
  const sent = headers.authorization !== undefined || headers.cookie !== undefined;
  return kind === 'not-signed-in' && (sent || routeOptions.config?.operation === 'signIn');
}
