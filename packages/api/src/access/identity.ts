/** The caller: how a request was authenticated, and its rights. */
import type { Role } from '@orrery/contract/roles';

/** The caller of a request. */
export interface Identity {
  /** What lists, versions and controls call it. */
  readonly name: string;
  readonly role: Role;
  /** The one project it is for; null: all of them. */
  readonly project: string | null;
  /** The number of its token; 0 for the server's own token, or if no sign-in is required. */
  readonly token: number;
  readonly expiresAt: number | null;
  /** The hash of the session that a browser came with. */
  readonly session?: string;
}

/** The holder of the server's own token, and every caller if no token is required. */
export const root: Identity = { name: 'admin', role: 'admin', project: null, token: 0, expiresAt: null };

/** A sender authenticated only by its signature. */
export const webhook = (path: string): Identity => ({ ...nobody, name: `webhook ${path}` });

/** The caller of public operations. No project has this name. */
export const nobody: Identity = { ...root, name: 'nobody', role: 'viewer', project: '', token: -1 };

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before any part of the request is read. */
    identity: Identity;
  }
}
