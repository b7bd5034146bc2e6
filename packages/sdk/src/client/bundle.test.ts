/** What a browser loads that imports the client alone. */
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

async function bundle(code: string): Promise<{ code: string; modules: readonly string[] }> {
  const build = await rolldown({
    input: 'entry',
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) => (id === 'entry' ? { code, moduleType: 'ts' } : null),
      },
    ],
    cwd: import.meta.dirname,
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  return { code: output[0].code, modules: output[0].moduleIds };
}

it('is small, and brings neither a schema nor anything of Node', async () => {
  const { code, modules } = await bundle(
    "export { createClient, watch, watchRun } from '@orrery/sdk/client';",
  );
  expect(modules.filter((id) => /zod|yaml/.test(id))).toEqual([]);
  expect(code).not.toMatch(/from\s*"node:|require\(/);
  expect(gzipSync(code).length).toBeLessThan(8_000);
});

it('is the same from the main entry, workflows included', async () => {
  const { modules } = await bundle("export { createClient, workflow, shell } from '@orrery/sdk';");
  expect(modules.some((id) => id.endsWith('workflow/workflow.ts'))).toBe(true);
  expect(modules.filter((id) => /zod|yaml/.test(id))).toEqual([]);
});
