import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { runVitest } from './vitest.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-vitest-'));
const config = join(import.meta.dirname, 'fixtures', 'vitest.config.ts');
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(names: readonly string[], environment: Record<string, string> = {}, silence?: number) {
  return runVitest(['--config', config, ...names], { TMPDIR: folder, ...environment }, silence);
}

describe('a run of Vitest', () => {
  it('that cannot go on is cut off and counted', async () => {
    const { tests, faults } = await run(['stuck', 'seed'], {}, 20_000);
    expect(tests).toMatchObject([{ file: 'scripts/test/fixtures/seed.fixture.ts', state: 'passed' }]);
    expect(faults).toEqual([
      'scripts/test/fixtures/stuck.fixture.ts: did not finish',
      'no test ended for 20 s: the run was cut off',
    ]);
  });

  it('fails for files left in the temporary folder and processes that outlive their test', async () => {
    const { tests, faults } = await run(['leaves']);
    expect(tests).toMatchObject([{ state: 'passed' }]);
    expect(faults).toEqual([
      expect.stringMatching(
        /leaves.fixture.ts: processes outlived their test: sleep 1000\nfiles left .*: forgotten-\w+$/,
      ),
    ]);
  });

  it('draws properties from a fixed seed, or from the one given', async () => {
    vi.stubEnv('ORRERY_TEST_SEED', undefined);
    const names = async (environment?: Record<string, string>) =>
      (await run(['seed'], environment)).tests.map(({ name }) => name);
    expect(await names()).toEqual(['draws by seed 20260101']);
    expect(await names({ ORRERY_TEST_SEED: '7' })).toEqual(['draws by seed 7']);
  });
});
