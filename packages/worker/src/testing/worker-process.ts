/**
 * A worker in its own process with a scripted master, for tests that kill it. Reads its settings and
 * assignments as JSON from its first argument, and prints each report as a JSON line.
 */
import type { Assignment } from '@orrery/wire/frames';
import type { WorkerSettings } from '../config.ts';
import { startWorker } from '../worker.ts';
import { hostClock } from './host-clock.ts';
import { ScriptedMaster } from './scripted-master.ts';

/** The JSON input of the process. */
export interface WorkerProcessInput {
  readonly settings: WorkerSettings;
  readonly lease: number;
  readonly assignments: readonly Assignment[];
  /** A module whose `pluginsIn(folder)` returns more task types. */
  readonly bundledIn?: string;
}

const { settings, lease, assignments, bundledIn }: WorkerProcessInput = JSON.parse(process.argv[2]);
const master = new ScriptedMaster();
master.lease = lease;
master.reports.push = (...reports) => {
  for (const report of reports) console.log(JSON.stringify(report));
  return 0;
};
const log = (level: string, text: string): void => {
  if (level !== 'info') console.error(`${level}: ${text}`);
};
const bundled = bundledIn === undefined ? undefined : (await import(bundledIn)).pluginsIn(settings.folder);
const worker = await startWorker(
  { ...settings, bundled },
  { clock: hostClock, connect: master.connect, log },
);
process.on('SIGTERM', () => worker.stop({ grace: 0 }));
master.give(...assignments);
await worker.ended;
