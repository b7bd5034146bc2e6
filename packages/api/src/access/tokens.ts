/** Tokens: creates them, and authenticates their bearers. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '@orrery/contract/roles';
import { said } from '@orrery/core/texts';
import type { Clock } from '@orrery/core/timing';
import type { Store, TokenRow } from '@orrery/store';
import { Refusal } from '../problem.ts';
import { type Identity, root } from './identity.ts';
import { SESSION_TIME } from './session.ts';
import { Tries } from './tries.ts';

/** How long a token that was looked up is believed: the longest a revoked one works on another server. */
const BELIEVED = 2_000;

/**
 * A token of this length cannot be guessed. A server reachable from other machines requires at least this
 * length.
 */
export const SHORTEST_TOKEN = 16;

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

  /** The identity of a token. Refuses one that is unknown, expired or revoked. */
  async recognise(token: string | undefined, address: string): Promise<Identity> {
    if (this.own === undefined) return root;
    if (token === undefined) throw new Refusal('not-signed-in', said('access.tokenWanted'));
    const bytes = digest(token);
    const hash = bytes.toString('hex');
    const known = this.remembered.get(hash);
    if (known && this.clock.monotonic() < known.until) return this.identityOf(known.row);
    const isOwn = timingSafeEqual(bytes, this.own);
    // Too long to be guessed: failed tries from the same address do not lock it out.
    if (isOwn && token.length >= SHORTEST_TOKEN) return root;
    // A token that was recognized before is not locked out either.
    if (!known) this.tries.check(address);
    if (isOwn) return root;
    // Counted before the lookup, so that parallel tries count like sequential ones.
    this.tries.failed(address);
    const row = await this.store.findToken({ hash });
    if (row === undefined || row.revokedAt !== null) {
      this.remembered.delete(hash);
      throw new Refusal('not-signed-in', row ? said('access.revoked') : said('access.unknownToken'));
    }
    this.tries.forgive(address);
    this.remember(hash, row);
    return this.identityOf(row);
  }

  /** Starts a session; the secret that its browser sends from now on. */
  async startSession({ token, name: by, expiresAt }: Identity): Promise<{ secret: string; until: number }> {
    const secret = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const until = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + SESSION_TIME);
    if (this.own !== undefined)
      await this.store.createSession({ hash: this.sessionHash(secret), token, by, expiresAt: until, now });
    return { secret, until };
  }

  /** The identity of a session. Refuses one that has ended, with its token or by signing out. */
  async recogniseSession(secret: string, address: string): Promise<Identity> {
    if (this.own === undefined) return root;
    const hash = this.sessionHash(secret);
    const known = this.remembered.get(hash);
    if (known && this.clock.monotonic() < known.until)
      return { ...this.identityOf(known.row), session: hash };
    if (!known) this.tries.check(address);
    this.tries.failed(address);
    const session = await this.store.findSession({ hash, now: this.clock.now() });
    const row = session && (await this.tokenOf(session.token));
    if (row === undefined || row.revokedAt !== null) {
      this.remembered.delete(hash);
      throw new Refusal('not-signed-in', said('access.sessionEnded'));
    }
    this.tries.forgive(address);
    this.remember(hash, row);
    return { ...this.identityOf(row), session: hash };
  }

  /** Ends the session that a caller came with: here at once, within two seconds on other servers. */
  async endSession({ session: hash, name: by }: Identity): Promise<void> {
    if (hash === undefined) return;
    await this.store.endSession({ hash, by, now: this.clock.now() });
    this.remembered.delete(hash);
  }

  /** Whether a caller may stay connected: for long-lived connections. */
  async isValid(identity: Identity): Promise<boolean> {
    const { session } = identity;
    if (session !== undefined && !(await this.store.findSession({ hash: session, now: this.clock.now() })))
      return false;
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
    readonly by: Identity;
  }): Promise<{ row: TokenRow; token: string }> {
    const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const hash = digest(token).toString('hex');
    const hint = token.slice(0, PREFIX.length + 4);
    const { by, ...rest } = input;
    // A new token does not outlive the token that created it.
    const expiresAt = earlier(input.expiresAt, by.expiresAt);
    const parent = by.token > 0 ? by.token : null;
    const now = this.clock.now();
    const row = await this.store.createToken({ ...rest, expiresAt, parent, by: by.name, hash, hint, now });
    return { row, token };
  }

  /** Forgets what was looked up, so that the end of a token, and of those made with it, takes effect at once. */
  forget(): void {
    this.remembered.clear();
  }

  /** With the server's own token in it: another one ends all sessions. */
  private sessionHash(secret: string): string {
    const sum = createHash('sha256')
      .update('session ')
      .update(this.own ?? '');
    return sum.update(secret).digest('hex');
  }

  private async tokenOf(id: number): Promise<TokenRow | undefined> {
    return id === 0 ? ownRow : this.store.readToken({ id });
  }

  private identityOf({ id, name, role, project, expiresAt }: TokenRow): Identity {
    if (expiresAt !== null && expiresAt <= this.clock.now())
      throw new Refusal('expired', said('access.expired'));
    if (id === 0) return root;
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
    if (row.id === 0) return;
    if (row.lastUsedAt === null || now - row.lastUsedAt >= USE_NOTED_EVERY) {
      // Only a note: a request does not wait for it, nor fail with it.
      this.store.touchToken({ id: row.id, now }).catch(() => undefined);
    }
  }
}

/** The server's own token, as sessions of it need it. */
const ownRow: TokenRow = {
  id: 0,
  name: root.name,
  role: root.role,
  project: null,
  hint: '',
  createdBy: '',
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  parent: null,
};

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * The stored form of a token. A fast hash is enough: a token has 256 random bits, so a slow hash would not
 * make guessing any harder. Hashes have equal length, which comparison in constant time requires.
 */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
