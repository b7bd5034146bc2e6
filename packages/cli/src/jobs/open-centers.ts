/** The namespaces of elastic jobs that this server shows. */

import { randomUUID } from 'node:crypto';
import type { Log } from '@orrery/core/log';
import { type OpenOperator, openOperator } from '@orrery/elastic/board';
import { machineClock } from '../node/machine-clock.ts';
import type { JobCenter } from './job-center.ts';

/** A namespace that can be asked. */
interface OpenCenter extends OpenOperator {
  readonly name: string;
}

const SESSION_TIMEOUT = 10_000;
/** Someone waits for the answer. */
const CONNECT_TIMEOUT = 5_000;

export function openCenters(centers: readonly JobCenter[], log: Log): readonly OpenCenter[] {
  const options = {
    sessionTimeout: SESSION_TIMEOUT,
    connectTimeout: CONNECT_TIMEOUT,
    name: 'orrery operator',
    clock: machineClock,
    log,
  };
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return centers.map(({ name, url, namespace }) => ({
    name,
    ...openOperator(url, namespace, { id: randomUUID, zone, options }),
  }));
}
