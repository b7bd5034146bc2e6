/** The caller of a channel, as the server identified it before reading any frame. */

/** The worker name and groups that an invitation allows. */
export interface Invited {
  readonly worker: string;
  readonly groups: readonly string[];
}

/** A caller that was let in. */
export interface Caller {
  /** Called from this machine or process: needs no invitation. */
  readonly isLocal: boolean;
  /** The invitation behind the caller's token; absent for a caller with the join token. */
  readonly invited?: Invited;
}

/** The worker in the same process. */
export const ownProcess: Caller = { isLocal: true };
