/** A node of its own with a few workflows, for the tests of commands that ask a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type LocalNode, startLocalNode } from '../dev/local-node.ts';
import { orrery as call, type Ended } from '../run-binary.ts';

/** The examples of the repository. */
export const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples');

/** A folder that is gone after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), 'orrery-cli-'));

/** Starts the node before the tests of a file, and stops it after them. */
export function useServer(): void {
  let node: LocalNode;
  beforeAll(async () => {
    delete process.env.FORCE_COLOR;
    node = await startLocalNode({
      folder: join(folder, 'data'),
      port: 0,
      token: 'secret',
      codeFolder: join(examples, '..'),
      plugins: [],
      log: () => {},
    });
    process.env.ORRERY_URL = node.url;
    process.env.ORRERY_TOKEN = 'secret';
    for (const name of ['hello', 'shards']) await orrery('apply', '-f', join(examples, `${name}.yaml`));
    const fail = `name: fail
tasks: [{name: try, type: shell, with: {script: exit 3}}, {name: never, type: noop, needs: try}]`;
    await orrery('apply', '-f', write('fail.yaml', fail));
    const slow = 'name: slow\ntasks: [{name: nap, type: shell, with: {script: sleep 60}}]';
    await orrery('apply', '-f', write('slow.yaml', slow));
  });
  afterAll(async () => {
    delete process.env.ORRERY_URL;
    delete process.env.ORRERY_TOKEN;
    await node.stop();
    rmSync(folder, { recursive: true });
  });
}

/** Calls the command line. */
export const orrery = (...args: string[]): Promise<Ended> => call(args);

/** The same, answered in JSON. */
export const json = async (...args: string[]) => JSON.parse((await orrery(...args, '--json')).out);

/** Starts a run; its id. */
export const start = async (...args: string[]): Promise<number> => (await json('run', ...args)).id;

/** Writes a file into the folder; its path. */
export function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Calls until the answer is as wanted; the test's own time limit ends it. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
  }
}
