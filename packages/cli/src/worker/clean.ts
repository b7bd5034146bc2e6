/** `orrery worker clean`: ends what earlier workers left running on this machine. */
import { join } from 'node:path';
import { cleanLeftovers } from '@orrery/worker';

/** What the command was given. */
interface CleanOptions {
  readonly data: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** Runs the command. */
export async function clean({ data, name, json }: CleanOptions): Promise<void> {
  const ended = await cleanLeftovers(join(data, 'worker'), name);
  if (json) console.log(JSON.stringify({ ended }));
  else if (ended === 0) console.log('nothing was left behind');
  else console.log(`ended ${ended} ${ended === 1 ? 'process' : 'processes'}`);
}
