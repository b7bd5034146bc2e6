/** From what the store keeps of attempts to what a worker is sent: secrets are put in on the way, and nowhere else. */
import { InvalidInput } from '@orrery/core/errors';
import { withSecrets } from '@orrery/core/params';
import type { AssignmentRow } from '@orrery/store';
import { FRAME_LIMIT } from '@orrery/wire/channel';
import type { Assignment, AttemptId } from '@orrery/wire/frames';
import type { Payload } from './payload.ts';
import type { Context } from './ports.ts';

/** What an assignment may take as JSON, so that it always fits into a frame. */
const LARGEST = 0.9 * FRAME_LIMIT;

/** An attempt as it is sent, or why it cannot be. */
export type Sending =
  | { readonly assignment: Assignment }
  | { readonly attempt: AttemptId; readonly refused: string };

/** An attempt that a worker has taken, as it was kept. */
export interface Kept extends Payload {
  readonly take: number;
  readonly bytes: number;
}

/** Reads what was kept. */
export function keptOf({ payload, take }: AssignmentRow): Kept {
  return { ...(JSON.parse(payload) as Payload), take, bytes: Buffer.byteLength(payload) };
}

/** Whether something has to be looked up before an attempt can be sent. */
export function isIncomplete({ secrets }: Kept): boolean {
  return secrets.length > 0;
}

/** Sends an attempt that needs nothing more. */
export function sendingOf({ bytes, ...kept }: Kept): Sending {
  if (bytes > LARGEST) return tooLarge(kept.attempt, bytes);
  return { assignment: { ...kept, environment: {} } };
}

/** Completes an attempt; `confidential` tells that nobody but the worker can read what it is sent. */
export async function completed(
  { readSecret }: Pick<Context, 'readSecret'>,
  kept: Kept,
  confidential: boolean,
): Promise<Sending> {
  const { bytes: _, ...rest } = kept;
  const { attempt, project, secrets: names } = kept;
  if (names.length > 0 && !confidential) {
    const refused =
      'it has secrets, which are only sent to workers over TLS; give masters and workers certificates';
    return { attempt, refused };
  }
  try {
    const secrets = new Map<string, string>();
    for (const name of names) {
      if (!readSecret) throw new InvalidInput(`there is no secret "${name}": this master has none`);
      secrets.set(name, await readSecret(name, project));
    }
    const filled = withSecrets({ with: rest.with, params: rest.params }, secrets);
    const assignment = { ...rest, ...filled, environment: {}, secrets: [...secrets.values()] };
    const bytes = Buffer.byteLength(JSON.stringify(assignment));
    return bytes > LARGEST ? tooLarge(attempt, bytes) : { assignment };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { attempt, refused: error.message };
  }
}

function tooLarge(attempt: AttemptId, bytes: number): Sending {
  const refused = `its settings and parameters take ${bytes} bytes; at most ${LARGEST} can be sent to a worker`;
  return { attempt, refused };
}
