/** What starting costs is what it loads: parts that most processes never use are loaded by those that do. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '..', '..', '..');

/** The packages from the registry that are loaded with a module. */
async function loadedWith(module: string): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1];
        if (name) names.add(name);
        return next(url, context);
      },
    });
    await import(${JSON.stringify(join(packages, module))});
    console.log(JSON.stringify([...names]));
    process.exit();`;
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: packages })).stdout);
}

it('a process on an embedded store loads neither the network nor PostgreSQL nor what sends traces', async () => {
  const loaded = await loadedWith('cli/src/dev/dev.ts');
  expect(loaded).toContain('fastify');
  const unused = ['@bufbuild/protobuf', '@connectrpc/connect', 'pg', '@opentelemetry/sdk-trace'];
  expect(loaded.filter((name) => unused.includes(name))).toEqual([]);
});

it('a thread of the embedded store loads nothing but our own code', async () => {
  expect(await loadedWith('store/src/catalogue.ts')).toEqual([]);
});
