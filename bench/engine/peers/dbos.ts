/** DBOS: durable workflows of steps that return at once, started directly in its process, many under way at once. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { withDatabase } from '../databases.ts';
import { type Lap, startLap } from '../figures.ts';

const AT_ONCE = 50;
const POOL = 10;
const STEPS = ['one', 'two', 'three'];

export const dbosSettings = `runStep three times, ${AT_ONCE} workflows at once, systemDatabasePoolSize ${POOL}, no queue, logs off`;

const threeSteps = DBOS.registerWorkflow(
  async () => {
    for (const name of STEPS) await DBOS.runStep(async () => {}, { name });
  },
  { name: 'threeSteps' },
);

/** Times that many workflows. */
export function timeDbos(workflows: number): Promise<Lap> {
  return withDatabase(async (systemDatabaseUrl) => {
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl, systemDatabasePoolSize: POOL, logLevel: 'error' });
    await DBOS.launch();
    try {
      await runAll(AT_ONCE);
      const endLap = startLap();
      await runAll(workflows);
      return endLap();
    } finally {
      await DBOS.shutdown();
    }
  });
}

async function runAll(workflows: number): Promise<void> {
  let left = workflows;
  const follow = async (): Promise<void> => {
    while (left-- > 0) await threeSteps();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, follow));
}
