/**
 * `npm run random-user -- [--seed N] [--count M] [--steps K]`: a user who does anything, in a real browser, on a server
 * at work. Prints what was done where something broke, and the number that plays it again; `--all` goes on after it.
 */
import { parseArgs } from 'node:util';
import { buildConsole } from '../../scripts/build-console.ts';
import { openChromium } from '../../scripts/open-chromium.ts';
import { World } from './harness/random-user/world.ts';
import { playUser } from './harness/random-user.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '10' },
    steps: { type: 'string', default: '100' },
    all: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
buildConsole();
const world = await World.start();
const browser = await openChromium();
let [played, broken] = [0, 0];
try {
  for (let seed = first; seed < first + Number(values.count); seed++) {
    const { steps, fault } = await playUser(browser, world, seed, Number(values.steps));
    played += steps.length;
    if (fault === null) {
      console.log(`seed ${seed}: ${steps.length} steps`);
      continue;
    }
    broken++;
    console.log(`seed ${seed}: ${fault}\n${steps.map((step, n) => `  ${n} ${step}`).join('\n')}`);
    if (!values.all) break;
  }
} finally {
  await browser.close();
  await world.stop();
}
console.log(`${played} steps, ${broken} faults`);
process.exitCode = broken === 0 ? 0 : 1;
