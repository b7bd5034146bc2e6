/** `orrery nodes`: masters and workers, and taking them out of service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration, sizeAbout } from '@orrery/core/model';
import { type Connection, connect } from './connect.ts';
import { faint, fromNow, printJson, stateText, table } from './output.ts';

/** Lists all nodes. */
export async function listNodes(options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await connect(options).listNodes();
  if (options.json) return printJson(answer);
  const rows = [
    ...answer.masters.map((node) => ({
      ...node,
      role: node.roles.join(','),
      groups: '-',
      slots: held(node),
    })),
    ...answer.workers.map((node) => ({
      ...node,
      role: 'worker',
      groups: node.groups.join(','),
      slots: `${node.used}/${node.slots}`,
    })),
  ];
  if (rows.length === 0) return console.log('no master and no worker has joined');
  console.log(
    table(
      ['NODE', 'ROLE', 'STATE', 'HELD', 'GROUPS', 'EPOCH', 'HEARD', 'LAST WORK', 'ADDRESS'],
      rows.map(({ id, role, state, slots, groups, epoch, beatAt, progressAt, address }) => [
        id,
        role,
        stateText(state),
        slots,
        groups,
        String(epoch),
        fromNow(beatAt),
        progressAt === null ? '-' : fromNow(progressAt),
        address,
      ]),
    ),
  );
  for (const { id, resources } of answer.workers)
    if (resources && (resources.usedCores > 0 || resources.usedMemory > 0))
      console.log(
        `${id} has given ${resources.usedCores} of ${resources.cores} cores and ${sizeAbout(resources.usedMemory)} of ${sizeAbout(resources.memory)} to tasks that asked`,
      );
  for (const { id, unhealthy } of answer.workers)
    if (unhealthy) console.log(`${id} takes no work since ${unhealthy.since}: ${unhealthy.reason}`);
}

/** Lists what a worker runs now. */
export async function listAttempts(
  node: string,
  options: Connection & { readonly json?: boolean },
): Promise<void> {
  const answer = await connect(options).listNodeAttempts({ node });
  if (options.json) return printJson(answer);
  if (answer.attempts.length === 0) return console.log(`${node} runs nothing that you may see`);
  console.log(
    table(
      ['ATTEMPT', 'WORKFLOW', 'SINCE', ''],
      answer.attempts.map(({ id, project, workflow, assignedAt, ending }) => [
        id,
        `${project}/${workflow}`,
        fromNow(assignedAt),
        ending ? 'was asked to end' : '',
      ]),
    ),
  );
}

/** The runs of a master, with its room if known. */
function held({ runs, settings }: { runs: number; settings: Readonly<Record<string, string>> }): string {
  return settings.room === undefined ? '-' : `${runs}/${settings.room}`;
}

interface DrainOptions extends Connection {
  readonly timeout?: string;
  readonly dryRun?: boolean;
  readonly together?: boolean;
  readonly json?: boolean;
}

const LOOK_EVERY = 500;
/** Added to the drain time of a master: it has to learn of the drain and hand the remaining runs over. */
const GRACE = 10_000;
const DEFAULT_TIMEOUT = '30s';

/** Drains a node, and waits until it holds nothing. The exit code is 1 if that takes longer than the timeout. */
export async function drainNode(node: string, options: DrainOptions): Promise<void> {
  const { dryRun = false, together = false, json } = options;
  const timeout = parseDuration(options.timeout ?? DEFAULT_TIMEOUT);
  const client = connect(options);
  const answer = await client.drainNode({ node, body: { timeout, dryRun, together } });
  if (dryRun) {
    if (json) return printJson(answer);
    return console.log(`${node} can be drained: ${answer.sum || 'it is draining already'}`);
  }
  if (!json) console.log(`${node} drains: ${answer.sum || 'it did already'}`);
  const until = Date.now() + timeout + GRACE;
  for (;;) {
    const left = await leftAt(client, node);
    const isEmpty = left.runs === 0 && left.attempts === 0;
    if (!isEmpty && Date.now() < until) {
      await sleep(LOOK_EVERY);
      continue;
    }
    if (json) printJson({ ...answer, ...left });
    else if (isEmpty) console.log(`${node} is drained: it holds nothing and can be stopped`);
    else
      console.log(`${node} still has ${left.runs} runs and ${left.attempts} attempts; it goes on draining`);
    if (!isEmpty) process.exitCode = 1;
    return;
  }
}

/** The attempts and runs that a node still holds. */
async function leftAt(
  client: ReturnType<typeof connect>,
  node: string,
): Promise<{ readonly runs: number; readonly attempts: number }> {
  const { masters, workers } = await client.listNodes();
  const runs = masters.find(({ id, state }) => id === node && state !== 'gone')?.runs ?? 0;
  const attempts = workers.find(({ id, state }) => id === node && state !== 'gone')?.used ?? 0;
  return { runs, attempts };
}

/** Has a node take work again. */
export async function undrainNode(
  node: string,
  options: Connection & { readonly json?: boolean },
): Promise<void> {
  const answer = await connect(options).undrainNode({ node });
  if (options.json) return printJson(answer);
  console.log(`${node} takes work again`);
}

/** Drops a node that is gone from the list. */
export async function forgetNode(node: string, options: DrainOptions): Promise<void> {
  const { dryRun = false } = options;
  const answer = await connect(options).forgetNode({ node, body: { dryRun } });
  if (options.json) return printJson(answer);
  console.log(dryRun ? `${node} can be forgotten` : `${node} is forgotten`);
}

type Options = Connection & { readonly json?: boolean };

/** Invites a worker and prints its token: the only time that it is seen. */
export async function inviteNode(
  worker: string,
  { groups, ...options }: Options & { readonly groups: string },
): Promise<void> {
  const named = groups.split(',').flatMap((group) => group.trim() || []);
  const made = await connect(options).inviteNode({ body: { worker, groups: named } });
  if (options.json) return printJson(made);
  console.log(made.token);
  console.error(
    faint(
      `worker ${worker} may serve ${made.groups.join(', ')}; start it with --name ${worker} and this token in a file for --join-token-file. It is not shown again`,
    ),
  );
}

/** Lists invitations. */
export async function listInvitations(options: Options): Promise<void> {
  const { invitations } = await connect(options).listInvitations();
  if (options.json) return printJson({ invitations });
  if (invitations.length === 0) return console.log('no worker is invited; see: orrery nodes invite --help');
  console.log(
    table(
      ['WORKER', 'GROUPS', 'JOINED', 'INVITED', 'BY'],
      invitations.map(({ worker, groups, usedAt, createdAt, createdBy }) => [
        worker,
        groups.join(','),
        usedAt === null ? 'never' : fromNow(usedAt),
        fromNow(createdAt),
        createdBy,
      ]),
    ),
  );
}

/** Ends an invitation. */
export async function uninviteNode(worker: string, options: Options): Promise<void> {
  const answer = await connect(options).uninviteNode({ node: worker });
  if (options.json) return printJson(answer);
  console.log(`${worker} is no longer invited; if it had joined, its session has ended`);
}
