/** Tokens: making them, and recognising whoever sends one. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '@orrery/core/contract/roles';
import type { Clock } from '@orrery/core/timing';
import type { Store, TokenRow } from '@orrery/store';
import { Refusal } from '../problem.ts';
import { type Identity, root } from './identity.ts';
import { Tries } from './tries.ts';

/** How long a token that was looked up is believed: the longest a revoked one works on another server. */
const BELIEVED = 2_000;

/** Tokens remembered; beyond that the one looked up first is forgotten. */
const MOST_REMEMBERED = 1_000;

/** The last use is kept to the hour: noting every one would be a write for each request. */
const USE_NOTED_EVERY = 3_600_000;

/** Begins every token, so that scanners of code and logs find one that leaked. */
const PREFIX = 'orr_';

interface Remembered {
  readonly row: TokenRow;
  readonly until: number;
}

/** Recognises tokens: the server's own, and those in the store. */
export class Tokens {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly tries: Tries;
  private readonly own: Buffer | undefined;
  private readonly remembered = new Map<string, Remembered>();

  constructor({ store, clock, token }: { store: Store; clock: Clock; token?: string }) {
    this.store = store;
    this.clock = clock;
    this.tries = new Tries(clock);
    this.own = token === undefined ? undefined : digest(token);
  }

  /** Whether anyone has to sign in at all. */
  get needed(): boolean {
    return this.own !== undefined;
  }

  /** Who a token belongs to; refuses one that is unknown, has expired or was revoked. */
  async recognise(token: string | undefined, address: string): Promise<Identity> {
    if (this.own === undefined) return root;
    if (token === undefined)
      throw new Refusal('not-signed-in', 'this server wants a token, sent as "Authorization: Bearer …"');
    const bytes = digest(token);
    const hash = bytes.toString('hex');
    const known = this.remembered.get(hash);
    if (known && this.clock.monotonic() < known.until) return this.identityOf(known.row);
    // Whoever was recognised before is not kept out by what others send from the same address.
    if (!known) this.tries.check(address);
    if (timingSafeEqual(bytes, this.own)) return root;
    const row = await this.store.findToken({ hash });
    if (row === undefined || row.revokedAt !== null) {
      this.remembered.delete(hash);
      this.tries.failed(address);
      throw new Refusal('not-signed-in', row ? 'this token was revoked' : 'this server has no such token');
    }
    this.remember(hash, row);
    return this.identityOf(row);
  }

  /** Whether a caller who was let in may stay: for connections that last. */
  async isValid(identity: Identity): Promise<boolean> {
    if (identity.token === 0) return true;
    const { expiresAt } = identity;
    if (expiresAt !== null && expiresAt <= this.clock.now()) return false;
    const row = await this.store.readToken({ id: identity.token });
    return row !== undefined && row.revokedAt === null;
  }

  /** Makes a token. */
  async create(input: {
    readonly name: string;
    readonly role: Role;
    readonly project: string | null;
    readonly expiresAt: number | null;
    readonly by: string;
  }): Promise<{ row: TokenRow; token: string }> {
    const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const hash = digest(token).toString('hex');
    const hint = token.slice(0, PREFIX.length + 4);
    const row = await this.store.createToken({ ...input, hash, hint, now: this.clock.now() });
    return { row, token };
  }

  /** Forgets a token, so that its end takes effect at once. */
  forget(id: number): void {
    for (const [hash, { row }] of this.remembered) if (row.id === id) this.remembered.delete(hash);
  }

  private identityOf({ id, name, role, project, expiresAt }: TokenRow): Identity {
    if (expiresAt !== null && expiresAt <= this.clock.now())
      throw new Refusal('expired', 'this token has expired; ask an admin for another');
    return { name, role: role as Role, project, token: id, expiresAt };
  }

  private remember(hash: string, row: TokenRow): void {
    const now = this.clock.now();
    this.remembered.delete(hash);
    this.remembered.set(hash, { row, until: this.clock.monotonic() + BELIEVED });
    if (this.remembered.size > MOST_REMEMBERED) {
      const [first] = this.remembered.keys();
      this.remembered.delete(first);
    }
    if (row.lastUsedAt === null || now - row.lastUsedAt >= USE_NOTED_EVERY) {
      // Only a note: a request does not wait for it, nor fail with it.
      this.store.touchToken({ id: row.id, now }).catch(() => undefined);
    }
  }
}

/**
 * What is kept of a token. A plain hash is enough, and fast: a token has 256 random bits, so there is nothing to guess
 * that a slow hash would make slower to guess. Of one length, as comparing in constant time needs it.
 */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
