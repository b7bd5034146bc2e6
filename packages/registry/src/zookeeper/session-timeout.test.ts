import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { openRegistry } from '../open.ts';
import { OwnServer } from '../testing/servers.ts';

it('shows the timeout that a server with the usual ticks of 2 s agrees to, not the one asked for', async () => {
  const server = new OwnServer({
    ...zookeeper,
    launch(place) {
      const launched = zookeeper.launch(place);
      const config = join(place.home, 'zoo.cfg');
      const usual = readFileSync(config, 'utf8')
        .replace('tickTime=200', 'tickTime=2000')
        .replace(/m(in|ax)SessionTimeout=.*\n/g, '');
      writeFileSync(config, usual);
      return launched;
    },
  });
  try {
    const port = await server.start();
    const registry = await openRegistry(`zookeeper://127.0.0.1:${port}/test`, { sessionTimeout: 3_000 });
    expect(registry.session.timeout).toBe(4_000);
    await registry.close();
  } finally {
    await server.remove();
  }
});
