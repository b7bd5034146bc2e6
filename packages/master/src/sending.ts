/** From what the store keeps of attempts to what a worker is sent: environments and secrets are put in on the way. */
import { InvalidInput } from '@orrery/core/errors';
import { putSecrets, secretsNamed, withSecrets } from '@orrery/core/params';
import type { AssignmentRow, EnvironmentRow } from '@orrery/store';
import { FRAME_LIMIT } from '@orrery/wire/channel';
import type { Assignment, AttemptId } from '@orrery/wire/frames';
import type { Payload } from './payload.ts';
import type { Context } from './ports.ts';

/** What an assignment may take as JSON, so that it always fits into a frame. */
const LARGEST = 0.9 * FRAME_LIMIT;

/** An attempt that cannot be sent, and why. */
interface Refused {
  readonly attempt: AttemptId;
  readonly refused: string;
}

/** An attempt as it is sent, or why it cannot be. */
export type Sending = { readonly assignment: Assignment } | Refused;

/** An attempt that a worker has taken, as it was kept. */
interface Kept extends Payload {
  readonly take: number;
  readonly bytes: number;
}

/** Reads what was kept. One that cannot be read is refused alone: those that were taken with it are sent. */
export function keptOf({ payload, take, run, task, shard, number }: AssignmentRow): Kept | Refused {
  const attempt = { run, task, shard, number };
  try {
    const { secrets, type, ...rest } = JSON.parse(payload) as Payload;
    if (!Array.isArray(secrets) || typeof type !== 'string') throw new TypeError('it names no task');
    return { ...rest, secrets, type, attempt, take, bytes: Buffer.byteLength(payload) };
  } catch (error) {
    return { attempt, refused: `what was kept for it cannot be read: ${(error as Error).message}` };
  }
}

/** Whether something has to be looked up before an attempt can be sent. */
export function isIncomplete(kept: Kept | Refused): kept is Kept {
  return !('refused' in kept) && (kept.secrets.length > 0 || kept.inEnvironment !== undefined);
}

/** Sends an attempt that needs nothing more. */
export function sendingOf(one: Kept | Refused): Sending {
  if ('refused' in one) return one;
  const { bytes, inEnvironment: _, ...kept } = one;
  if (bytes > LARGEST) return tooLarge(kept.attempt, bytes);
  return { assignment: { ...kept, environment: {} } };
}

/**
 * Completes attempts with their environments and secrets as they stand now; `confidential` tells that nobody but the
 * worker can read what it is sent. An attempt whose environment or secret is not there is refused.
 */
export async function completed(
  context: Pick<Context, 'readSecret' | 'store'>,
  list: readonly (Kept | Refused)[],
  confidential: boolean,
): Promise<Sending[]> {
  const names = new Set(list.filter(isIncomplete).flatMap(({ inEnvironment }) => inEnvironment?.name ?? []));
  const found = names.size === 0 ? [] : await context.store.readEnvironments({ names: [...names] });
  const environments = new Map(found.map((environment) => [environment.name, environment]));
  return Promise.all(
    list.map(async (kept) => {
      if (!isIncomplete(kept)) return sendingOf(kept);
      try {
        return await complete(context, kept, environments, confidential);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return { attempt: kept.attempt, refused: error.message };
      }
    }),
  );
}

async function complete(
  { readSecret }: Pick<Context, 'readSecret'>,
  { bytes: _, inEnvironment, ...kept }: Kept,
  environments: ReadonlyMap<string, EnvironmentRow>,
  confidential: boolean,
): Promise<Sending> {
  const { attempt, project } = kept;
  const { variables = {} } = inEnvironment === undefined ? {} : environmentOf(inEnvironment, environments);
  const names = new Set([...kept.secrets, ...Object.values(variables).flatMap(secretsNamed)]);
  if (names.size > 0 && !confidential)
    throw new InvalidInput(
      'it has secrets, which are only sent to workers over TLS; give masters and workers certificates',
    );
  const secrets = new Map<string, string>();
  for (const name of names) {
    if (!readSecret) throw new InvalidInput(`there is no secret "${name}": this master has none`);
    secrets.set(name, await readSecret(name, project));
  }
  const assignment = {
    ...kept,
    ...withSecrets({ with: kept.with, params: kept.params }, secrets),
    environment: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, putSecrets(value, secrets)]),
    ),
    secrets: [...secrets.values()],
  };
  const bytes = Buffer.byteLength(JSON.stringify(assignment));
  return bytes > LARGEST ? tooLarge(attempt, bytes) : { assignment };
}

/** What was so when the workflow was published may have changed since. */
function environmentOf(
  { name, workerGroup }: NonNullable<Kept['inEnvironment']>,
  environments: ReadonlyMap<string, EnvironmentRow>,
): EnvironmentRow {
  const found = environments.get(name);
  if (!found)
    throw new InvalidInput(
      `there is no environment "${name}"; make it, or publish the workflow with another`,
    );
  const { workerGroups } = found;
  if (workerGroups.length > 0 && !workerGroups.includes(workerGroup))
    throw new InvalidInput(
      `environment "${name}" is for worker group ${workerGroups.join(', ')}, and this task is for ${workerGroup}; change one of them`,
    );
  return found;
}

function tooLarge(attempt: AttemptId, bytes: number): Sending {
  const refused = `its settings and parameters take ${bytes} bytes; at most ${LARGEST} can be sent to a worker`;
  return { attempt, refused };
}
