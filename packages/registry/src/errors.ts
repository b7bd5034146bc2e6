/** Why a registry operation failed: one tag, one reason, the path. Callers branch on `reason`, never on the text. */

export type RegistryReason =
  /** The entry does not exist. */
  | 'no-entry'
  /** The parent of the entry to create does not exist. */
  | 'no-parent'
  | 'exists'
  /** The entry's version differs from the given one. */
  | 'version'
  /** The entry to delete has entries below it. */
  | 'not-empty'
  /** The parent of the entry to create is ephemeral. */
  | 'below-ephemeral'
  /** The session of this client is over; open another client. */
  | 'session-lost'
  /** The server is unreachable or did not answer. `unknown` says whether a write may have been made. */
  | 'away'
  /** Wrong credentials, or a missing permission. */
  | 'denied'
  /** Larger than one request to the server may be. */
  | 'too-large';

const texts: Record<RegistryReason, string> = {
  'no-entry': 'no such entry',
  'no-parent': 'its parent does not exist',
  exists: 'the entry exists already',
  version: 'the entry has another version',
  'not-empty': 'the entry has entries below it',
  'below-ephemeral': 'its parent is ephemeral',
  'session-lost': 'the registry session is over',
  away: 'the registry does not answer',
  denied: 'the registry refused access',
  'too-large': 'the request is too large for the registry',
};

/** A registry operation that failed, or whose outcome is unknown. */
export class RegistryError extends Error {
  readonly tag = 'registry';
  readonly reason: RegistryReason;
  readonly path: string | undefined;
  /** In a transaction: the index of the failed step, if known. */
  readonly step: number | undefined;
  /** Whether a write may have been made although no answer came. */
  readonly unknown: boolean;

  constructor(
    reason: RegistryReason,
    fields: { path?: string; step?: number; unknown?: boolean; detail?: string; cause?: unknown } = {},
  ) {
    const { path, detail } = fields;
    super(`${path === undefined ? '' : `${path}: `}${texts[reason]}${detail ? ` (${detail})` : ''}`, {
      cause: fields.cause,
    });
    this.reason = reason;
    this.path = path;
    this.step = fields.step;
    this.unknown = fields.unknown ?? false;
  }
}

/** Whether an error is a registry error with one of these reasons. */
export function isRegistryError(error: unknown, ...reasons: RegistryReason[]): error is RegistryError {
  return error instanceof RegistryError && (reasons.length === 0 || reasons.includes(error.reason));
}
