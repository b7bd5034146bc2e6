/** `orrery secrets`: names of secrets with their users; their values never leave the workers. */
import { type Connection, connect } from './connect.ts';
import { fromNow, printJson, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
  readonly project?: string;
}

/** Lists them. */
export async function listSecrets({ project, ...options }: Options): Promise<void> {
  const answer = await connect(options).listSecrets({ project });
  if (options.json) return printJson(answer);
  if (answer.secrets.length === 0) return console.log('no secrets');
  console.log(
    table(
      ['SECRET', 'WORKFLOWS', 'ENVIRONMENTS', 'CONNECTIONS', 'CHANNELS', 'LAST USED'],
      answer.secrets.map(({ name, workflows, environments, connections, channels, usedAt }) => [
        name,
        String(workflows),
        environments.join(', ') || '-',
        connections.join(', ') || '-',
        channels.join(', ') || '-',
        usedAt === null ? 'never' : fromNow(usedAt),
      ]),
    ),
  );
}
