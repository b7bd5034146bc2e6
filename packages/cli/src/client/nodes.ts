/** `orrery nodes`: masters and workers. */
import { type Connection, connect } from './connect.ts';
import { fromNow, printJson, stateText, table } from './output.ts';

/** Lists all nodes. */
export async function listNodes(options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await connect(options).listNodes();
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
