/** Turns a stored attempt into the assignment sent to a worker: adds environment, connections and secrets. */
import { InvalidInput } from '@orrery/core/errors';
import { connectionsIn } from '@orrery/core/model';
import { isOpenTo } from '@orrery/core/model/uses';
import { putSecretsWithin, secretsWithin, withSecrets } from '@orrery/core/params';
import type { AssignmentRow, ConnectionRow, EnvironmentRow, KeptGroup } from '@orrery/store';
import { FRAME_LIMIT } from '@orrery/wire/channel';
import { type Assignment, type AttemptId, attemptText } from '@orrery/wire/frames';
import type { Context } from '../ports.ts';
import type { Payload } from './payload.ts';

/** Limit of an assignment's size as JSON, so that it always fits into a frame. */
const LARGEST = 0.9 * FRAME_LIMIT;

/** An attempt that cannot be sent, and why. */
interface Refused {
  readonly attempt: AttemptId;
  readonly refused: string;
}

/** An attempt ready to send, or the reason why it cannot be sent. */
export type Sending = { readonly assignment: Assignment } | Refused;

/** A stored attempt that a worker has taken. */
interface Kept extends Payload {
  readonly take: number;
  readonly bytes: number;
}

/** Reads a stored attempt. An unreadable one is refused; the attempts taken with it are still sent. */
export function keptOf({ payload, take, run, task, shard, number }: AssignmentRow): Kept | Refused {
  const attempt = { run, task, shard, number };
  try {
    const read = JSON.parse(payload) as Payload;
    if (!Array.isArray(read.secrets) || typeof read.type !== 'string')
      throw new TypeError('it names no task');
    return { ...read, attempt, take, bytes: Buffer.byteLength(payload) };
  } catch (error) {
    return { attempt, refused: `what was kept for it cannot be read: ${(error as Error).message}` };
  }
}

/**
 * Refuses an attempt if its worker group is now reserved for other projects, whatever held when its workflow
 * was published.
 */
export function unlessBound(kept: Kept | Refused, groups: readonly KeptGroup[] = []): Kept | Refused {
  if ('refused' in kept) return kept;
  const { attempt, project, workerGroup } = kept;
  // A payload without a group may go to any group that the worker asked for.
  const closed = groups.find(
    ({ name, projects }) => (workerGroup ?? name) === name && !isOpenTo(projects, project),
  );
  return closed
    ? { attempt, refused: `worker group "${closed.name}" is not open to project ${project}` }
    : kept;
}

/** Whether something has to be looked up before an attempt can be sent. */
export function isIncomplete(kept: Kept | Refused): kept is Kept {
  return (
    !('refused' in kept) &&
    (kept.secrets.length > 0 ||
      kept.inEnvironment !== undefined ||
      kept.attempt.number > 1 ||
      connectionsIn(kept.with).length > 0)
  );
}

/** Sends an attempt that needs no lookup. */
export function sendingOf(one: Kept | Refused): Sending {
  if ('refused' in one) return one;
  const { bytes, inEnvironment: _, workerGroup: __, ...kept } = one;
  if (bytes > LARGEST) return tooLarge(kept.attempt, bytes);
  return { assignment: { ...kept, environment: {} } };
}

/** The lookups for a batch of attempts. */
interface Found {
  readonly environments: ReadonlyMap<string, EnvironmentRow>;
  /** By project and name. */
  readonly connections: ReadonlyMap<string, ConnectionRow>;
  /** Handles of what earlier attempts left running elsewhere, by attempt. */
  readonly handles: ReadonlyMap<string, string>;
}

/**
 * Completes attempts with the current environments, connections, secrets and handles. `confidential` means
 * that only the worker can read what it is sent. An attempt is refused if its environment or a secret is
 * missing. If a connection is missing, the attempt is sent without it and the task reports it.
 */
export async function completed(
  context: Pick<Context, 'readSecret' | 'store'>,
  list: readonly (Kept | Refused)[],
  confidential: boolean,
): Promise<Sending[]> {
  const found = await lookUp(context, list.filter(isIncomplete));
  return Promise.all(
    list.map(async (kept) => {
      if (!isIncomplete(kept)) return sendingOf(kept);
      try {
        return await complete(context, kept, found, confidential);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return { attempt: kept.attempt, refused: error.message };
      }
    }),
  );
}

async function lookUp({ store }: Pick<Context, 'store'>, list: readonly Kept[]): Promise<Found> {
  const names = new Set(list.flatMap(({ inEnvironment }) => inEnvironment?.name ?? []));
  const environments = names.size === 0 ? [] : await store.readEnvironments({ names: [...names] });
  const keys = new Map(list.flatMap(connectionKeys).map((key) => [keyText(key), key]));
  const connections = keys.size === 0 ? [] : await store.readConnections({ keys: [...keys.values()] });
  const later = list.flatMap(({ attempt }) => (attempt.number > 1 ? [attempt] : []));
  const handles = later.length === 0 ? [] : await store.readHandles({ attempts: later });
  return {
    handles: new Map(handles.map(({ handle, ...attempt }) => [attemptText(attempt), handle])),
    environments: new Map(environments.map((environment) => [environment.name, environment])),
    connections: new Map(connections.map((connection) => [keyText(connection), connection])),
  };
}

function connectionKeys({ project, with: settings }: Kept): { project: string; name: string }[] {
  return connectionsIn(settings).map((name) => ({ project, name }));
}

function keyText({ project, name }: { readonly project: string; readonly name: string }): string {
  return `${project}/${name}`;
}

async function complete(
  { readSecret }: Pick<Context, 'readSecret'>,
  { bytes, inEnvironment, workerGroup: _, ...kept }: Kept,
  found: Found,
  confidential: boolean,
): Promise<Sending> {
  const { attempt, project } = kept;
  const { variables = {} } =
    inEnvironment === undefined ? {} : environmentOf(inEnvironment, project, found.environments);
  const connections = Object.fromEntries(
    connectionKeys({ ...kept, bytes }).flatMap((key) => {
      const connection = found.connections.get(keyText(key));
      return connection ? [[key.name, { kind: connection.kind, settings: connection.settings }]] : [];
    }),
  );
  const names = new Set([...kept.secrets, ...secretsWithin(variables), ...secretsWithin(connections)]);
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
    handle: found.handles.get(attemptText(attempt)),
    ...withSecrets({ with: kept.with, params: kept.params }, secrets),
    environment: putSecretsWithin(variables, secrets),
    connections: putSecretsWithin(connections, secrets),
    secrets: [...secrets.values()],
  };
  const sent = Buffer.byteLength(JSON.stringify(assignment));
  return sent > LARGEST ? tooLarge(attempt, sent) : { assignment };
}

/** Checked again: the environment may have changed since the workflow was published. */
function environmentOf(
  { name, workerGroup }: NonNullable<Kept['inEnvironment']>,
  project: string,
  environments: ReadonlyMap<string, EnvironmentRow>,
): EnvironmentRow {
  const found = environments.get(name);
  if (!found)
    throw new InvalidInput(
      `there is no environment "${name}"; make it, or publish the workflow with another`,
    );
  if (!isOpenTo(found.projects, project))
    throw new InvalidInput(`environment "${name}" is not open to project ${project}`);
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
