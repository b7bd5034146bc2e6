/** Who asks: what a request was recognised by, and what that may do. */
import type { Role } from '@orrery/contract/roles';

/** The caller of a request. */
export interface Identity {
  /** What lists, versions and controls call it. */
  readonly name: string;
  readonly role: Role;
  /** The one project it is for; null: all of them. */
  readonly project: string | null;
  /** The number of its token; 0: the server's own token, or nobody has to sign in. */
  readonly token: number;
  readonly expiresAt: number | null;
  /** The hash of the session that a browser came with. */
  readonly session?: string;
}

/** Whoever has the server's own token, and anyone where no token is asked for. */
export const root: Identity = { name: 'admin', role: 'admin', project: null, token: 0, expiresAt: null };

/** A sender that is known by its signature alone. */
export const webhook = (path: string): Identity => ({ ...nobody, name: `webhook ${path}` });

/** Who asks for what everybody may ask; there is no project of this name. */
export const nobody: Identity = { ...root, name: 'nobody', role: 'viewer', project: '', token: -1 };

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before anything of the request is read. */
    identity: Identity;
  }
}
