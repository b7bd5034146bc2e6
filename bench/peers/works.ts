/** The work of the comparison, and its contenders. */
import { databases } from '../engine/databases.ts';
import { slots } from '../engine/engine.ts';
import { median, startLap } from '../engine/figures.ts';
import { chain, parallel, publish, type Shape, timeAlone, timeDrain } from '../engine/load.ts';
import { dbosSettings, timeDbos } from '../engine/peers/dbos.ts';
import { graphileSettings, timeGraphile, timeGraphileAdds } from '../engine/peers/graphile-worker.ts';
import { pgBossSettings, timePgBoss, timePgBossSends } from '../engine/peers/pg-boss.ts';
import { bullmqSettings, timeBullMq, timeBullMqAdds } from './bullmq.ts';
import { whyNoRedis } from './redis.ts';
import { type Contender, rateOf, type Sample, type Work } from './work.ts';

const [sqlite, postgres] = databases;
const ours = `full history; 1 master, 1 worker with ${slots} slots, one process`;
const onPostgres = `${postgres.settings}; ${ours}`;
const onSqlite = `SQLite: ${sqlite.settings}; ${ours}`;

const bullmq = (contenders: readonly Contender[]) => (whyNoRedis() === undefined ? contenders : []);

/** Tasks that do nothing, from the first submit at an idle engine to the last commit. */
export function drain(tasks: number): Work {
  const runsOf = (shape: Shape, database = postgres): Contender => ({
    name: `Orrery, runs of ${shape.tasks}${database === sqlite ? ', SQLite' : ''}`,
    settings: database === sqlite ? onSqlite : onPostgres,
    measure: async () => rateOf(await timeDrain(database, shape, Math.ceil(tasks / shape.tasks)), tasks),
  });
  const graphile = (mode: 'batched' | 'unbatched', jobs: number): Contender => ({
    name: `graphile-worker, ${mode}`,
    settings: `${graphileSettings[mode]}; done jobs are deleted`,
    measure: async () => rateOf((await timeGraphile(mode, jobs)).withSubmit, jobs),
  });
  return {
    id: 'drain',
    title: `${tasks.toLocaleString('en-US')} tasks that do nothing, submits included`,
    unit: 'tasks/s',
    better: 'more',
    contenders: [
      ...[parallel(20), chain(3), parallel(1)].map((shape) => runsOf(shape)),
      ...[parallel(20), parallel(1)].map((shape) => runsOf(shape, sqlite)),
      graphile('batched', tasks),
      graphile('unbatched', tasks / 4),
      {
        name: 'pg-boss',
        settings: `${pgBossSettings}; done jobs are kept`,
        measure: async () => rateOf((await timePgBoss(tasks)).withSubmit, tasks),
      },
      ...bullmq([
        {
          name: 'BullMQ',
          settings: bullmqSettings,
          measure: async () => rateOf(await timeBullMq(tasks), tasks),
        },
      ]),
    ],
  };
}

/** Durable workflows of three steps in a row, many at once. */
export function threeSteps(workflows: number): Work {
  return {
    id: 'three-steps',
    title: 'Workflows of three steps in a row, many at once',
    unit: 'workflows/s',
    better: 'more',
    contenders: [
      {
        name: 'Orrery',
        settings: onPostgres,
        measure: async () => rateOf(await timeDrain(postgres, chain(3), workflows), workflows),
      },
      {
        name: 'DBOS',
        settings: dbosSettings,
        measure: async () => rateOf(await timeDbos(workflows / 4), workflows / 4),
      },
    ],
  };
}

/** One workflow alone at an idle engine, from its start to its end. */
export function alone(
  id: string,
  title: string,
  shape: Shape,
  times: number,
  steps: 'in a row' | 'at once',
): Work {
  const oursOn = (database: typeof sqlite, name: string): Contender => ({
    name,
    settings: database === sqlite ? onSqlite : onPostgres,
    measure: async () => ({ value: 1_000 * median(await timeAlone(database, shape, times)) }),
  });
  return {
    id,
    title,
    unit: 'ms',
    better: 'less',
    contenders: [
      oursOn(postgres, 'Orrery'),
      oursOn(sqlite, 'Orrery, SQLite'),
      {
        name: 'DBOS',
        settings: `runStep, ${shape.tasks} ${steps}, one workflow at a time`,
        measure: async () => {
          const { seconds } = await timeDbos(times, {
            steps: shape.tasks,
            inARow: steps === 'in a row',
            atOnce: 1,
          });
          return { value: (1_000 * seconds) / times };
        },
      },
    ],
  };
}

/** Starts asked for one by one, many of them at once; each is durable when it is answered. */
export function starts(count: number, atOnce: number): Work {
  return {
    id: 'starts',
    title: `Single starts, ${atOnce} at once`,
    unit: 'starts/s',
    better: 'more',
    contenders: [
      {
        name: 'Orrery',
        settings: `${postgres.settings}; coalesced in the store`,
        measure: () => timeStarts('coalesced'),
      },
      {
        name: 'Orrery, one commit each',
        settings: `${postgres.settings}; without coalescing, and without keys and audit`,
        measure: () => timeStarts('one commit each'),
      },
      {
        name: 'graphile-worker',
        settings: 'addJob',
        measure: async () => rateOf(await timeGraphileAdds(count, atOnce), count),
      },
      {
        name: 'pg-boss',
        settings: 'send',
        measure: async () => rateOf(await timePgBossSends(count, atOnce), count),
      },
      ...bullmq([
        {
          name: 'BullMQ',
          settings: bullmqSettings,
          measure: async () => rateOf(await timeBullMqAdds(count, atOnce), count),
        },
      ]),
    ],
  };

  function timeStarts(how: 'coalesced' | 'one commit each'): Promise<Sample> {
    return postgres.withStore(async (store) => {
      const command = await publish(store, parallel(1));
      const start = () =>
        how === 'coalesced'
          ? store.submitCommand({ command, now: Date.now() })
          : store.submitCommands({ commands: [command], now: Date.now() });
      let left = count;
      const follow = async (): Promise<void> => {
        while (left-- > 0) await start();
      };
      const endLap = startLap();
      await Promise.all(Array.from({ length: atOnce }, follow));
      return rateOf(endLap(), count);
    });
  }
}
