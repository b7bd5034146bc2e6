/** Whether the cluster has what a run needs: a master that decides and a worker that runs its tasks. */
import { type Connection, connect } from '../client/connect.ts';
import { printed } from '../client/printed.ts';
import type { Finding } from './checks.ts';

/** How to start a missing role. */
const remedy = {
  master: `no master is alive: nothing starts; run "${printed('server --role master')}"`,
  worker: `no worker is alive: tasks wait; run "${printed('server --role worker')}"`,
} as const;

/** Counts the roles that are alive; nothing to say where no server answers, or it does not let us see its nodes. */
export async function checkRoles(connection: Connection): Promise<Finding | undefined> {
  const nodes = await connect(connection)
    .listNodes()
    .catch(() => undefined);
  if (!nodes) return undefined;
  const alive = nodes.masters.filter(({ state }) => state === 'alive');
  const count = {
    master: alive.filter(({ roles }) => roles.includes('master')).length,
    worker: nodes.workers.filter(({ state }) => state === 'alive').length,
    api: alive.filter(({ roles }) => roles.includes('api')).length,
  };
  const missing = (['master', 'worker'] as const).find((role) => count[role] === 0);
  const text = missing
    ? remedy[missing]
    : `alive: master ${count.master}, worker ${count.worker}, api ${count.api}`;
  return { name: 'roles', ok: missing === undefined, text };
}
