import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalNode, startLocalNode } from '../dev/local-node.ts';
import { orrery as call, type Ended } from '../run-binary.ts';

const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples');
const folder = mkdtempSync(join(tmpdir(), 'orrery-cli-'));
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
  await orrery(
    'apply',
    '-f',
    write('slow.yaml', 'name: slow\ntasks: [{name: nap, type: shell, with: {script: sleep 60}}]'),
  );
}, 60_000);
afterAll(async () => {
  delete process.env.ORRERY_URL;
  delete process.env.ORRERY_TOKEN;
  await node.stop();
  rmSync(folder, { recursive: true });
});

const orrery = (...args: string[]): Promise<Ended> => call(args);
const json = async (...args: string[]) => JSON.parse((await orrery(...args, '--json')).out);
const start = async (...args: string[]): Promise<number> => (await json('run', ...args)).id;

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Calls until the answer is as wanted; the test's own time limit ends it. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
  }
}

describe('apply', () => {
  const file = (script: string) =>
    `project: cli\nname: greeting\ntasks:\n  - name: say\n    type: shell\n    with: {script: ${script}}\n`;

  it('creates, leaves and updates, and shows what changes', async () => {
    const path = write('greeting.yaml', file('echo one'));
    expect(await orrery('apply', '-f', path)).toEqual({ code: 0, out: 'cli/greeting created v1\n', err: '' });
    expect((await orrery('apply', '-f', path)).out).toBe('cli/greeting unchanged v1\n');
    write('greeting.yaml', file('echo two'));
    const dry = await orrery('apply', '-f', path, '--dry-run');
    expect(dry.out).toMatch(/^cli\/greeting would be updated\n/);
    expect((await orrery('apply', '-f', path)).out).toBe(
      'cli/greeting updated v2\n  ~  tasks.say.with.script  "echo one" -> "echo two"\n',
    );
  });

  it('tells every problem of every file with its place, and publishes nothing', async () => {
    const bad = write('bad.yaml', 'name: bad\ntasks:\n  - name: a\n    type: noop\n    timeout: 10 min\n');
    const typo = write('typo.yaml', 'name: typo\ntasks:\n  - {name: a, type: noop, needs: b}\n');
    const good = write('good.yaml', 'name: good\ntasks: [{name: a, type: noop}]\n');
    const { code, out, err } = await orrery('apply', '-f', good, bad, typo);
    expect([code, out]).toEqual([2, '']);
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^${bad}:5:\\d+: tasks\\[0\\]\\.timeout: `));
    expect(lines[1]).toMatch(new RegExp(`^${typo}:3:\\d+: tasks\\[0\\]\\.needs: there is no task "b"`));
    expect((await orrery('run', 'good')).code).toBe(2);
  });

  it('reads folders and standard input', async () => {
    const inner = join(folder, 'several');
    mkdirSync(inner);
    write('several/a.yml', 'name: several-a\ntasks: [{name: a, type: noop}]\n');
    write('several/b.json', '{"name": "several-b", "tasks": [{"name": "a", "type": "noop"}]}');
    write('several/notes.txt', 'not a workflow');
    expect((await orrery('apply', '-f', inner)).out).toBe(
      'default/several-a created v1\ndefault/several-b created v1\n',
    );
    const piped = await call(['apply', '-f', '-'], 'name: piped\ntasks: [{name: a, type: noop}]');
    expect(piped.out).toBe('default/piped created v1\n');
  });

  it('publishes the workflows that a module exports, each once', async () => {
    const orders = join(examples, 'typescript', 'orders.ts');
    expect((await orrery('apply', '-f', orders)).out).toBe('typescript/orders created v1\n');
    expect((await orrery('apply', '-f', orders)).out).toBe('typescript/orders unchanged v1\n');
    mkdirSync(join(folder, 'modules'));
    const flow = (name: string, timeout?: string) =>
      `{ [Symbol.for('orrery.workflow')]: true, ref: 'default/${name}', toJSON: () => (${JSON.stringify({
        name,
        tasks: [{ name: 'a', type: 'noop', timeout }],
      })}) }`;
    write('modules/code.mjs', 'throw new Error("is run only where it is named")');
    write(
      'modules/some.workflow.mjs',
      `const a = ${flow('module-a')}; export { a, a as default };
      export const list = [a, ${flow('module-b')}]; export const other = 1;`,
    );
    expect((await orrery('apply', '-f', join(folder, 'modules'))).out).toBe(
      'default/module-a created v1\ndefault/module-b created v1\n',
    );
    const bad = write('bad.mjs', `export const a = ${flow('bad', 'long')}`);
    expect((await orrery('apply', '-f', bad)).err).toMatch(
      `${bad} (default/bad): tasks[0].timeout: "long" is not`,
    );
  });

  it('says why a module cannot be published', async () => {
    const refusal = async (name: string, code: string) =>
      (await orrery('apply', '-f', write(name, code))).err;
    expect(await refusal('none.mjs', 'export const a = { name: "x" }')).toBe(
      `orrery: ${join(folder, 'none.mjs')}: exports no workflow; write: export const hello = workflow("hello").task(…)\n`,
    );
    expect(await refusal('throws.mjs', 'throw new Error("no database")')).toBe(
      `orrery: ${join(folder, 'throws.mjs')}: cannot be loaded: Error: no database\n`,
    );
  });

  it('refuses one workflow in two files, files that are not there, and unknown task types', async () => {
    const one = write('one.yaml', 'name: twice\ntasks: [{name: a, type: noop}]\n');
    const two = write('two.yaml', 'name: twice\ntasks: [{name: b, type: noop}]\n');
    const twice = await orrery('apply', '-f', one, two);
    expect([twice.code, twice.err]).toEqual([
      2,
      `orrery: workflow default/twice stands in ${one} and in ${two}; keep one\n`,
    ]);
    const missing = await orrery('apply', '-f', join(folder, 'nosuch.yaml'));
    expect([missing.code, missing.err]).toEqual([
      2,
      `orrery: there is no file or folder ${join(folder, 'nosuch.yaml')}\n`,
    ]);
    const unknown = write('unknown.yaml', 'name: unknown\ntasks: [{name: a, type: shel}]\n');
    const refused = await orrery('apply', '-f', unknown);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/unknown type "shel"; did you mean "shell"\?\n$/);
  });

  it('accepts every example', async () => {
    const { code, out, err } = await orrery('apply', '-f', examples, '--dry-run');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('default/schedule would be created\n');
  });

  it('answers in JSON', async () => {
    const path = write('json.yaml', 'name: in-json\ntasks: [{name: a, type: noop}]\n');
    expect(await json('apply', '-f', path)).toEqual({
      dryRun: false,
      workflows: [
        {
          file: path,
          project: 'default',
          name: 'in-json',
          version: 1,
          changed: true,
          created: true,
          diff: [],
        },
      ],
    });
    const bad = write('json-bad.yaml', 'name: 5 5\ntasks: []\n');
    const { code, out } = await orrery('apply', '-f', bad, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out).problems[0]).toMatchObject({ file: bad, line: 1, code: expect.any(String) });
  });
});

describe('workflows', () => {
  const file = (text: string) =>
    `project: shop\nname: cart # of today\ntasks: [{name: a, type: shell, with: {script: ${text}}}]\n`;

  const pair = (text: string) => {
    const schedule = text === 'two' ? 'schedule: {every: 1h, enabled: false}\n' : '';
    return `name: pair\n${schedule}tasks: [{name: a, type: shell, with: {script: ${text}}}]\n`;
  };

  it('are listed, renamed, restored, and read back from an export unchanged', {
    timeout: 60_000,
  }, async () => {
    for (const text of ['one', 'two']) await orrery('apply', '-f', write('cart.yaml', file(text)));
    expect((await orrery('workflows', 'rename', 'shop/cart', 'basket')).out).toBe(
      'shop/cart is shop/basket v3, with 0 runs\n',
    );
    expect((await orrery('workflows', 'restore', 'shop/basket', '1')).out).toBe(
      'shop/basket v4 is v1 again\n',
    );
    expect((await orrery('workflows', 'versions', 'shop/basket')).out).toMatch(
      /^v4 live .*version 1 again$/m,
    );
    expect((await orrery('workflows', 'list', '--project', 'shop')).out).toMatch(/^shop\/basket +v4$/m);
    const { files } = await json('workflows', 'export', '--project', 'shop', '--out', join(folder, 'export'));
    expect(files).toEqual([join(folder, 'export', 'shop', 'basket.yaml')]);
    const again = await orrery('apply', '--dry-run', '-f', join(folder, 'export', 'shop'));
    expect(again.out).toBe('shop/basket unchanged v4\n');
    expect((await orrery('workflows', 'rename', 'shop/cart', 'x')).code).toBe(2);
  });

  it('are compared by their versions, and deleted', async () => {
    for (const text of ['one', 'two']) await orrery('apply', '-f', write('pair.yaml', pair(text)));
    const line = /^ {2}~ +tasks\.a\.with\.script +"one" -> "two"\n {2}\+ +schedules\.main\n$/;
    expect((await orrery('workflows', 'diff', 'pair', '1')).out).toMatch(line);
    expect((await orrery('workflows', 'diff', 'pair', 'v1', 'v2')).out).toMatch(line);
    expect((await orrery('workflows', 'diff', 'pair', '2')).out).toBe('no difference\n');
    expect((await orrery('workflows', 'diff', 'pair', 'x')).err).toContain('is neither a version');
    expect((await orrery('workflows', 'delete', 'pair')).out).toBe('default/pair is gone; its runs stay\n');
    expect((await orrery('workflows', 'delete', 'pair')).code).toBe(2);
  });
});

describe('run', () => {
  it('waits for success and prints the outputs of the graph on the way', async () => {
    const { code, out } = await orrery('run', 'hello', '--param', 'name=Ada', '--wait');
    expect(code).toBe(0);
    expect(out).toMatch(/^run \d+ queued\n {2}prepare success\n/);
    expect(out).toMatch(/run \d+ success after \d+\.\ds\n$/);
  });

  it('ends with 1 when the run fails, and says why', async () => {
    const { code, out } = await orrery('run', 'fail', '--wait');
    expect(code).toBe(1);
    expect(out).toContain('  try failed: exit code 3\n');
    expect(out).toContain('  never skipped');
    expect(out).toMatch(/run \d+ failed after /);
  });

  it('answers in JSON', async () => {
    const { code, out } = await orrery('run', 'shards', '--wait', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      state: 'success',
      name: 'shards',
      tasks: [{ name: 'load' }, { name: 'merge' }],
    });
    expect(await json('run', 'shards')).toEqual({ id: expect.any(Number), state: 'queued', repeated: false });
  });

  it('shows in a dry run what each task would be given, and runs nothing', async () => {
    const ran = join(folder, 'ran');
    const text = `name: dry
params: {day: "$[yyyyMMdd]"}
tasks:
  - {name: a, type: shell, with: {script: "touch '${ran}' \${day}"}}
  - {name: b, type: shell, needs: a, with: {script: "load \${rows} \${secret.TOKEN}"}}`;
    await orrery('apply', '-f', write('dry.yaml', text));
    const { code, out } = await orrery('run', 'dry', '--dry-run', '--business-time', '2026-03-01');
    expect(code).toBe(0);
    expect(out).toContain(`a:\n  day = 20260301\n  script: touch '${ran}' 20260301\nb:\n`);
    expect(out).toContain('  script: load ${rows} ${secret.TOKEN}\n');
    const { tasks } = await json('run', 'dry', '--dry-run');
    expect(tasks[1]).toMatchObject({
      name: 'b',
      attempt: 0,
      settings: { script: 'load ${rows} ${secret.TOKEN}' },
    });
    expect(existsSync(ran)).toBe(false);
  });

  it('starts one run a key', async () => {
    const first = await json('run', 'shards', '--key', 'once');
    expect((await json('run', 'shards', '--key', 'once')).id).toBe(first.id);
  });

  it('walks a part of the workflow', async () => {
    const run = await json('run', 'hello', '--only', 'prepare', '--wait');
    const states = Object.fromEntries(
      run.tasks.map((task: { name: string; state: string }) => [task.name, task.state]),
    );
    expect(states).toMatchObject({ prepare: 'success', greet: 'excluded' });
  });

  it.each([
    [['run', 'helo'], /^orrery: there is no workflow default\/helo; did you mean "default\/hello"\?\n$/],
    [['run', 'hello', '--param', 'nam=x'], /^orrery: parameter "nam": unknown; did you mean "name"\?/],
    [['run', 'hello', '--param', 'name'], /^orrery: --param: "name" is not a key, "=" and a value\n$/],
    [['run', 'hello', '--priority', 'urgent'], /^orrery: priority: /],
    [['run', 'hello', '--from', 'a', '--to', 'b'], /^orrery: give one of --from, --to and --only\n$/],
    [['run', 'hello', '--business-time', 'soon'], /^orrery: time "soon" cannot be read/],
    [['run'], /^orrery: missing required argument 'workflow'\n$/],
  ])('%j is bad input', async (args, message) => {
    const { code, out, err } = await orrery(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});

describe('bulk', () => {
  it('changes all runs that match, says what became of each, and of a dry run what would', async () => {
    const slow = [await start('slow'), await start('slow')];
    for (const id of slow)
      await until(
        () => json('runs', 'show', String(id)),
        ({ state }) => state === 'running',
      );
    const chosen = ['--workflow', 'slow', '--q', 'slow'];
    const dry = await orrery('bulk', 'stop', ...chosen, '--state', 'running', '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, 'stop of 2 runs: 2 allowed, 0 refused\n']);
    const stopped = await orrery(
      'bulk',
      'stop',
      ...chosen,
      '--state',
      'running',
      '--reason',
      'late',
      '--follow',
    );
    expect([stopped.code, stopped.err]).toEqual([0, '']);
    expect(stopped.out).toMatch(/^bulk \d+: stop of 2 runs, done\n {2}2 asked, 0 refused, 0 left by .*\n$/);
    for (const id of slow)
      await until(
        () => json('runs', 'show', String(id)),
        ({ state }) => state === 'stopped',
      );
    const again = await json('bulk', 'stop', ...chosen, '--follow');
    expect(again).toMatchObject({ state: 'done', told: 0 });
    const shown = await orrery('bulk', 'show', String(again.id));
    expect(shown.out).toContain(`${again.total} refused: the run has ended\n`);
    const results = await orrery('bulk', 'results', String(again.id), '--outcome', 'refused');
    expect(results.out).toMatch(
      new RegExp(`\n${slow[1]} +default/slow +refused +stopped +the run has ended\n`),
    );
    const list = await orrery('bulk', 'list', '--limit', '1');
    expect(list.out).toMatch(new RegExp(`\n${again.id} +stop +done +${again.total} +0 +${again.total} +0 `));
    const over = await orrery('bulk', 'abort', String(again.id));
    expect([over.code, over.err]).toEqual([1, expect.stringContaining('it has ended')]);
  });

  it('wants to be told which runs', async () => {
    for (const args of [[], ['--all', '--state', 'running']]) {
      const { code, err } = await orrery('bulk', 'stop', ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('say which runs')]);
    }
  });
});

describe('runs', () => {
  it('are listed and shown', async () => {
    const id = await start('hello', '-p', 'name=Bo');
    await until(
      () => json('runs', 'show', String(id)),
      ({ state }) => state === 'success',
    );
    const list = await orrery('runs', 'list', '--workflow', 'hello', '--limit', '1');
    expect(list.out).toMatch(
      new RegExp(
        `^RUN +WORKFLOW +STATE +TRIGGER +CREATED +TOOK\n${id} +default/hello v1 +success +manual +\\d+s ago +\\d\\.\\ds\n`,
      ),
    );
    const chosen = [
      '--project',
      'default',
      '--state',
      'success,failed',
      '--trigger',
      'manual',
      '--from',
      '-1h',
    ];
    const { runs } = await json('runs', 'list', ...chosen, '--to', '-0', '--q', String(id));
    expect((runs as { id: number }[]).map((run) => run.id)).toEqual([id]);
    expect((await orrery('runs', 'list', '--to', '-1h')).out).toBe('no run matches\n');
    const { out } = await orrery('runs', 'show', String(id));
    expect(out).toContain(`run ${id} of default/hello v1: success\n`);
    expect(out).toMatch(/\n {2}parameters +name=Bo\n/);
    expect(out).toMatch(/\nfetch +success +\d+s ago +2 +local-/);
  });

  it('are paused, resumed, stopped, recovered and rerun', async () => {
    const id = String(await start('slow'));
    const state = (wanted: string) =>
      until(
        () => json('runs', 'show', id),
        (run) => run.state === wanted && run.requested.length === 0,
      );
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    expect(await orrery('runs', 'pause', id)).toEqual({
      code: 0,
      out: `pause of run ${id} requested\n`,
      err: '',
    });
    await state('pausing');
    await orrery('runs', 'resume', id);
    await state('running');
    await orrery('runs', 'stop', id);
    await state('stopped');
    const refused = await orrery('runs', 'pause', id);
    expect([refused.code, refused.err]).toEqual([1, `pause of run ${id} refused: the run has ended\n`]);
    await orrery('runs', 'recover', id);
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    await orrery('runs', 'stop', id);
    await state('stopped');
    await orrery('runs', 'rerun', id, '--only', 'nap');
    await until(
      () => json('runs', 'show', id),
      ({ tasks, round }) => round === 3 && tasks[0]?.state === 'running',
    );
    await orrery('runs', 'stop', id);
    await state('stopped');
  });

  it('are replayed with what was changed, and name each other', async () => {
    const id = await start('hello', '-p', 'name=Bo');
    const { code, out } = await orrery('runs', 'replay', String(id), '-p', 'name=Cy', '--wait');
    expect([code, out]).toEqual([0, expect.stringMatching(/run \d+ success after/)]);
    const other = /\d+/.exec(out)?.[0] ?? '';
    expect((await orrery('runs', 'show', other)).out).toMatch(new RegExp(`replay of +run ${id}\n`));
    expect((await orrery('runs', 'show', String(id))).out).toMatch(new RegExp(`replayed by +${other}\n`));
    expect((await json('runs', 'show', other)).params).toEqual({ name: 'Cy' });
    const dry = await json('runs', 'replay', other, '--latest', '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, params: { name: 'Cy' } });
    expect((await orrery('runs', 'replay', other, '-p', 'nam=x')).err).toMatch(/parameter "nam": unknown/);
  });

  it('have single tasks forced, killed and let go on, and their parameters set', async () => {
    const failed = String((await json('run', 'fail', '--wait')).id);
    expect((await orrery('runs', 'force', `${failed}.try`, '--dry-run')).out).toBe(
      `force of ${failed}.try would count as succeeded 1 task; 1 task would stay as it is\n`,
    );
    await orrery('runs', 'force', `${failed}.try`, '--reason', 'mended by hand');
    const forced = await until(
      () => json('runs', 'show', failed),
      ({ tasks }) => tasks[0].state === 'success',
    );
    expect(forced.tasks[0].reason).toBe('mended by hand');
    expect(await orrery('runs', 'kill', `${failed}.try`)).toEqual({
      code: 1,
      out: '',
      err: `kill of ${failed}.try refused: the run has ended\n`,
    });
    const delayed =
      'name: delayed\nparams: {x: {default: 0}}\ntasks: [{name: a, type: noop, delay: 1h}, {name: b, type: noop, delay: 1h}]';
    await orrery('apply', '-f', write('delayed.yaml', delayed));
    const id = String(await start('delayed'));
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks.length === 2 && tasks[0].state === 'delayed',
    );
    await orrery('runs', 'kill', `${id}.b`);
    await orrery('runs', 'start-now', `${id}.a`);
    const ended = await until(
      () => json('runs', 'show', id),
      ({ state }) => state === 'failed',
    );
    expect(ended.tasks.map(({ state }: { state: string }) => state)).toEqual(['success', 'killed']);
    const set = await orrery('runs', 'set', id, '-p', 'x=1');
    expect([set.code, set.err]).toEqual([1, `set of run ${id} refused: the run has ended\n`]);
    expect((await orrery('runs', 'set', id)).err).toContain('say what to set');
    expect((await orrery('runs', 'kill', 'load')).err).toContain('write RUN.TASK, such as 12.extract');
  });

  it('that do not exist are bad input', async () => {
    const { code, err } = await orrery('runs', 'show', '4711');
    expect([code, err]).toEqual([2, 'orrery: there is no run 4711\n']);
    expect((await orrery('runs', 'stop', 'x')).code).toBe(2);
    expect((await orrery('runs', 'list', '--state', 'fine')).code).toBe(2);
  });
});

describe('logs and why', () => {
  let hello: string;
  beforeAll(async () => {
    hello = String((await json('run', 'hello', '-p', 'name=Eva', '--wait')).id);
  }, 60_000);

  it('prints the last attempt, or another', async () => {
    expect((await orrery('logs', `${hello}.greet`)).out).toContain(
      '\nhello, Eva! Your name has 3 letters.\n',
    );
    expect((await orrery('logs', `${hello}.fetch`)).out).toContain('fetched by attempt 2');
    expect((await orrery('logs', `${hello}.fetch`, '--attempt', '1')).out).toContain('does not answer');
    expect(await json('logs', `${hello}.greet`)).toMatchObject({
      attempt: `${hello}.greet.1`,
      state: 'success',
    });
  });

  it('follows a task run over its attempts, to the end', async () => {
    const path = join(folder, 'again.yaml');
    const script = 'echo try $ORRERY_ATTEMPT; [ $ORRERY_ATTEMPT = 2 ]';
    // The wait is long enough for the command to start on a busy machine.
    const retries = { limit: 1, delay: '8s' };
    const tasks = [{ name: 'again', type: 'shell', retries, with: { script } }];
    writeFileSync(path, JSON.stringify({ name: 'again', tasks }));
    await orrery('apply', '-f', path);
    const id = await start('again');
    const { code, out, err } = await orrery('logs', '-f', `${id}.again`);
    expect(code).toBe(0);
    expect(out).toContain('try 1');
    expect(out).toContain('try 2');
    expect(err).toContain('--- attempt 2 ---');
  });

  it('asks for a shard where there are several', async () => {
    const { id } = await json('run', 'shards', '--wait');
    const { code, err } = await orrery('logs', `${id}.load`);
    expect([code, err]).toEqual([2, `orrery: ${id}.load has 3 shards; choose one with --shard\n`]);
    expect((await orrery('logs', `${id}.load`, '--shard', '2')).out).toContain('loads shenzhen');
  });

  it.each([
    [['12'], 2],
    [['4711.a'], 2],
  ])('refuses %j with %i', async (args, code) => {
    expect((await orrery('logs', ...args)).code).toBe(code);
  });

  it('refuses an attempt that there was not', async () => {
    const { code, err } = await orrery('logs', `${hello}.greet`, '--attempt', '7');
    expect([code, err]).toEqual([2, `orrery: ${hello}.greet has no attempt 7; it has 1 to 1\n`]);
  });

  it('says why something waits, and how it ended', async () => {
    const id = await start('slow');
    await until(
      () => json('runs', 'show', String(id)),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    expect((await orrery('why', `${id}.nap`)).out).toMatch(
      new RegExp(`^${id}\\.nap is running for \\d+\\.\\ds: attempt 1 runs on local-\\w+\n$`),
    );
    await orrery('runs', 'stop', String(id));
    await until(
      () => json('runs', 'show', String(id)),
      ({ state }) => state === 'stopped',
    );
    expect((await orrery('why', String(id))).out).toMatch(
      /was stopped, \d+s ago\nto go on: recover or rerun it\n$/,
    );
    expect(await json('why', hello)).toMatchObject({
      id: hello,
      state: 'success',
      why: 'succeeded',
      frees: null,
    });
  });
});

describe('schedules', () => {
  it('fire, are listed, show their ticks, and are paused and resumed', async () => {
    const text =
      'name: often\nschedule: {every: 1s}\ntasks: [{name: a, type: shell, with: {script: "true"}}]';
    await orrery('apply', '-f', write('often.yaml', text));
    const list = await json('schedules', '--workflow', 'often');
    const id = String(list.schedules[0].id);
    expect((await orrery('schedules')).out).toMatch(
      new RegExp(`\n${id} +default/often +main +on +(in )?\\d+s( ago)? +every 1\\.0s UTC\n`),
    );
    await until(
      () => json('schedules', 'ticks', id),
      ({ ticks }) => ticks.length > 0,
    );
    expect((await orrery('schedules', 'ticks', id)).out).toMatch(/\n\d{4}-\S+Z +\d+\.\ds +run \d+\n/);
    expect((await orrery('schedules', 'pause', id)).out).toBe('default/often main: paused\n');
    const again = await orrery('schedules', 'pause', id);
    expect([again.code, again.err]).toEqual([1, 'orrery: the schedule is already paused\n']);
    expect((await orrery('schedules', 'resume', id)).out).toMatch(
      /^default\/often main: on, next (in )?\d+s( ago)?\n$/,
    );
    const dry = await orrery('schedules', 'set', id, '--cron', '0 3 1 1 *', '--dry-run');
    expect(dry.out).toMatch(/^default\/often main: on \(not changed\)\n(\d{4}-01-01T03:00:00.000Z\n){5}$/);
    const set = await orrery('schedules', 'set', id, '--every', '2h', '--disable');
    expect(set).toMatchObject({ code: 0, out: 'default/often main: paused\n' });
    expect(await orrery('schedules', 'set', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('say what shall change'),
    });
    expect((await orrery('schedules', 'set', id, '--enable')).out).toMatch(/^default\/often main: on\n/);
    await orrery('schedules', 'pause', id);
  });
});

describe('nodes', () => {
  it('are listed', async () => {
    const { out } = await orrery('nodes', 'list');
    expect(out).toMatch(/\nlocal-\w+ +master\S* +alive +- +- +1 /);
    expect(out).toMatch(/\nlocal-\w+ +worker +alive +\d+\/\d+ +default +1 /);
  });
});

describe('the server', () => {
  it('that does not answer is told in one line', async () => {
    const { code, out, err } = await orrery('runs', 'list', '--url', 'http://127.0.0.1:9');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^orrery: no server answers at http:\/\/127\.0\.0\.1:9.*; start one with "orrery dev"[^\n]*\n$/,
    );
  });

  it('that wants a token says so', async () => {
    const { code, err } = await orrery('nodes', '--token', 'wrong');
    expect([code, err]).toEqual([
      1,
      'orrery: the server wants its token; give it with --token or ORRERY_TOKEN\n',
    ]);
  });

  it('must have an address', async () => {
    expect((await orrery('nodes', '--url', 'localhost')).code).toBe(2);
  });
});

describe('output', () => {
  it('has colours only where they are wanted', async () => {
    expect((await orrery('nodes')).out).not.toContain('\u001b[');
    process.env.FORCE_COLOR = '1';
    expect((await orrery('nodes')).out).toContain('\u001b[32malive');
    delete process.env.FORCE_COLOR;
  });
});

describe('worker clean', () => {
  it('says that nothing was left', async () => {
    const { code, out } = await orrery(
      'worker',
      'clean',
      '--data',
      join(folder, 'none'),
      '--name',
      'nobody-at-all',
    );
    expect([code, out]).toEqual([0, 'nothing was left behind\n']);
  });
});
