/**
 * DBOS: durable workflows whose steps return at once, started directly in its process, many in flight at
 * once.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { withDatabase } from '../databases.ts';
import { type Lap, startLap } from '../figures.ts';

const AT_ONCE = 50;
const POOL = 10;

export const dbosSettings = `runStep three times, ${AT_ONCE} workflows at once, systemDatabasePoolSize ${POOL}, no queue, logs off`;

/** The steps of a workflow, and how many workflows run at once. */
interface Steps {
  readonly steps: number;
  readonly inARow: boolean;
  readonly atOnce: number;
}

const run = DBOS.registerWorkflow(
  async (steps: number, inARow: boolean) => {
    const each = (k: number) => DBOS.runStep(async () => {}, { name: `step-${k}` });
    if (!inARow) await Promise.all(Array.from({ length: steps }, (_, k) => each(k)));
    else for (let k = 0; k < steps; k++) await each(k);
  },
  { name: 'steps' },
);

/** Times that many workflows. */
export function timeDbos(
  workflows: number,
  work: Steps = { steps: 3, inARow: true, atOnce: AT_ONCE },
): Promise<Lap> {
  return withDatabase(async (systemDatabaseUrl) => {
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl, systemDatabasePoolSize: POOL, logLevel: 'error' });
    await DBOS.launch();
    try {
      await runAll(work.atOnce, work);
      const endLap = startLap();
      await runAll(workflows, work);
      return endLap();
    } finally {
      await DBOS.shutdown();
    }
  });
}

async function runAll(workflows: number, { steps, inARow, atOnce }: Steps): Promise<void> {
  let left = workflows;
  const follow = async (): Promise<void> => {
    while (left-- > 0) await run(steps, inARow);
  };
  await Promise.all(Array.from({ length: atOnce }, follow));
}
