/** The task types that are commands of other products. */
import type { Plugin } from '@orrery/worker/plugin';
import { commandTask } from './base.ts';
import { flinkType, hiveType, mapreduceType, sparkType } from './clusters.ts';
import { dataxType, dbtType, jupyterType, seatunnelType, sqoopType } from './tools.ts';

/** All of them. */
export function commandTasks(): Plugin[] {
  return [
    commandTask(sparkType),
    commandTask(flinkType),
    commandTask(mapreduceType),
    commandTask(hiveType),
    commandTask(dataxType),
    commandTask(sqoopType),
    commandTask(seatunnelType),
    commandTask(dbtType),
    commandTask(jupyterType),
  ];
}
