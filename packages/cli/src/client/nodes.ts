/** `orrery nodes`: masters and workers. */
import { ApiClient, type Connection } from './api-client.ts';
import { fromNow, printJson, stateText, table } from './output.ts';

interface Nodes {
  readonly masters: readonly {
    readonly id: string;
    readonly state: string;
    readonly roles: readonly string[];
    readonly address: string;
    readonly epoch: number;
    readonly beatAt: string;
  }[];
  readonly workers: readonly {
    readonly id: string;
    readonly state: string;
    readonly address: string;
    readonly epoch: number;
    readonly groups: readonly string[];
    readonly slots: number;
    readonly used: number;
    readonly beatAt: string;
  }[];
}

/** Lists all nodes. */
export async function listNodes(options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await new ApiClient(options).get<Nodes>('/nodes');
  if (options.json) return printJson(answer);
  const rows = [
    ...answer.masters.map((node) => ({ ...node, role: node.roles.join(','), groups: '-', slots: '-' })),
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
      ['NODE', 'ROLE', 'STATE', 'SLOTS', 'GROUPS', 'EPOCH', 'HEARD', 'ADDRESS'],
      rows.map(({ id, role, state, slots, groups, epoch, beatAt, address }) => [
        id,
        role,
        stateText(state),
        slots,
        groups,
        String(epoch),
        fromNow(beatAt),
        address,
      ]),
    ),
  );
}
