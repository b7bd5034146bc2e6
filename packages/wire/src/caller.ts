/** Who opened a channel to a master, as its server found out before anything was read. */

/** The name and the groups that a worker may have. */
export interface Invited {
  readonly worker: string;
  readonly groups: readonly string[];
}

/** A caller that was let in. */
export interface Caller {
  /** From this machine or this process: needs no invitation. */
  readonly isLocal: boolean;
  /** What the token that it showed invites it to; a caller with the join token has none. */
  readonly invited?: Invited;
}

/** The worker of the same process. */
export const ownProcess: Caller = { isLocal: true };
