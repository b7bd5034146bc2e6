/** The product as users get it: packed, installed into an empty folder beside somebody else's plugin, and used. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { killGroup } from '@orrery/testkit/kill-group';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from './build.ts';
import { carried } from './bundle.ts';
import { ownPort } from './own-port.ts';
import { patternOf, Reader, stepsOf } from './start-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-packed-'));
const project = join(folder, 'project');
/** The Node that runs the tests, whatever else the machine has. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  NODE_OPTIONS: '',
};

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Runs a program in the project; fails with all it printed. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: project, env: environment });
  return stdout;
}

/** Packs a folder; the path of the archive. */
async function pack(path: string): Promise<string> {
  const printed = await run('npm', 'pack', '--json', '--pack-destination', folder, path);
  return join(folder, JSON.parse(printed)[0].filename);
}

beforeAll(async () => {
  mkdirSync(project);
  await build(join(folder, 'orrery'));
  const zod = JSON.parse(readFileSync(join(folder, 'orrery', 'package.json'), 'utf8')).dependencies.zod;
  write('plugin/package.json', {
    name: 'orrery-plugin-shout',
    version: '1.0.0',
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    peerDependencies: { 'orrery-scheduler': '*' },
    dependencies: { zod },
  });
  write(
    'plugin/index.js',
    `import { definePlugin } from 'orrery-scheduler/plugin';
     import { z } from 'zod';
     export const plugin = definePlugin({
       name: 'shout', title: 'Shout', description: 'Says it louder.',
       schema: z.strictObject({ text: z.string(), times: z.int().default(1) }),
       run({ with: { text, times }, log, output }) {
         for (let i = 0; i < times; i++) log(text.toUpperCase());
         output('said', text.toUpperCase());
       },
     });`,
  );
  write(
    'plugin/index.d.ts',
    `import type { Plugin } from 'orrery-scheduler/plugin';
     import type { z } from 'zod';
     export declare const plugin: Plugin<z.ZodObject<{ text: z.ZodString; times: z.ZodDefault<z.ZodInt> }>>;`,
  );
  write(
    'project/flow.ts',
    `import { createClient, shell, taskType, workflow } from 'orrery-scheduler';
     import type { plugin } from 'orrery-plugin-shout';
     const shout = taskType<typeof plugin>('shout');
     export const packed = workflow('packed', { params: { name: 'ada' } })
       .task('say', ({ params }) => shout({ text: params.name, times: 2 }), { outputs: ['said'] })
       .task('check', ({ outputs }) => shell(\`test "\${outputs.say.said}" = ADA\`), { needs: 'say' });
     export const version = async (url: string): Promise<string> =>
       (await createClient({ url }).checkHealth()).version;
     // @ts-expect-error the plugin has no such setting
     export const wrong = () => shout({ text: 'x', loud: true });`,
  );
  const archives = [await pack(join(folder, 'orrery')), await pack(join(folder, 'plugin'))];
  // What the page says first, with the packages that are not published yet.
  for (const step of steps.splice(0, 3)) {
    if (!('command' in step)) throw new Error(`${step.file} comes before the package is installed`);
    const options = `--no-audit --no-fund --prefer-offline ${archives.join(' ')}`;
    await reader.type(step.command.replace('install orrery-scheduler', `install ${options}`));
  }
}, 240_000);

const reader = new Reader(project, environment);
const steps = stepsOf(readFileSync(join(import.meta.dirname, '..', 'docs', 'start', 'README.md'), 'utf8'));
let server: ChildProcess | undefined;

afterAll(async () => {
  if (server) killGroup(server);
  await reader.stop();
  rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
});

it('brings the licences of the code of others that is built into it', () => {
  const installed = join(project, 'node_modules', 'orrery-scheduler');
  const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
  expect(notices).toMatch(/^elkjs [\d.]+\nLicence: EPL-2\.0.*\nSource: https:\S+$/m);
  for (const name of ['react', ...carried]) expect(notices).toMatch(new RegExp(`^${name} [\\d.]+$`, 'm'));
});

it('runs a workflow with a plugin of another package', async () => {
  expect(await run('npx', 'orrery', '--help')).toMatch(/^Usage: orrery /);
  const args = ['orrery', 'dev', '--port', '0', '--data', 'packed', '--plugin', 'orrery-plugin-shout'];
  // A group of its own: npx does not hand signals on.
  server = spawn('npx', args, {
    cwd: project,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const url = await ready(server);
  const at = ['--url', url];
  expect(await run('npx', 'orrery', 'apply', '-f', 'flow.ts', ...at)).toBe('default/packed created v1\n');
  const { id, state } = JSON.parse(await run('npx', 'orrery', 'run', 'packed', '--wait', '--json', ...at));
  expect(state).toBe('success');
  expect(await run('npx', 'orrery', 'logs', `${id}.say`, ...at)).toContain('ADA\nADA\n');
  const call = `import('./flow.ts').then(async (flow) => console.log(await flow.version('${url}')))`;
  const { version } = JSON.parse(readFileSync(join(folder, 'orrery', 'package.json'), 'utf8'));
  expect(await run(process.execPath, '-e', call)).toBe(`${version}\n`);
});

it('does what the page about an own project says, step by step', { timeout: 240_000 }, async () => {
  const [port, listen] = [await ownPort(), await ownPort()];
  environment.ORRERY_URL = `http://127.0.0.1:${port}`;
  const local = (text: string) => text.replaceAll(':7070', `:${port}`).replaceAll(':7071', `:${listen}`);
  const places: Readonly<Record<string, string>> = {
    dev: ` --port ${port}`,
    'server --role master,api': ` --port ${port} --listen 127.0.0.1:${listen}`,
    'server --role worker': '',
  };
  for (const step of steps) {
    if ('file' in step) {
      reader.write(step.file, step.text);
      continue;
    }
    const command = local(step.command);
    const [role, place] =
      Object.entries(places).find(([key]) => command.startsWith(`npx orrery ${key}`)) ?? [];
    if (role !== undefined && !role.endsWith('worker')) await reader.stop();
    const printed = role === undefined ? await reader.type(command) : await reader.start(command + place);
    expect(printed, command).toMatch(patternOf(local(step.output)));
  }
  expect(steps.length).toBeGreaterThan(20);
  expect(
    await reader.type(
      'npx orrery logs "$(npx orrery runs list --workflow letters --json | grep -o \'"id":[0-9]*\' | head -1 | cut -d: -f2).say"',
    ),
  ).toContain('Ada has 3 letters');
});

it('ships modules put together, and of zod no language but English', () => {
  const modules = globSync('**/*.js', { cwd: join(folder, 'orrery'), exclude: ['ui/**'] });
  expect(modules.length).toBeLessThan(250);
  const texts = modules.map((file) => readFileSync(join(folder, 'orrery', file), 'utf8')).join('\n');
  expect(texts).toContain('Invalid input: expected');
  expect(texts).not.toContain('Ungültige Eingabe');
});

it('brings its types', async () => {
  write('project/tsconfig.json', {
    compilerOptions: { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: [] },
    files: ['flow.ts', 'letters.workflow.ts', 'plugins/shout/index.ts'],
  });
  const compiler = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
  const failure = await run(process.execPath, compiler, '-p', '.').catch((error) => error.stdout);
  expect(failure).toBe('');
});

/** The address of a server, once it says that it is ready. */
function ready(started: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  started.stdout?.on('data', (piece) => {
    printed += piece;
    const found = /ready at (\S+)/.exec(printed);
    if (found) resolve(found[1]);
  });
  started.once('exit', () => reject(new Error(`the server has ended: ${printed}`)));
  return promise;
}
