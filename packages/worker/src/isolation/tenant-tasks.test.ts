import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assignment } from '../testing/scripted-master.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { isolated, isRoot, OTHER_TENANT, TENANT } from '../testing/tenants.ts';
import { own, shell, start } from '../testing/test-worker.ts';

const modes = ['user', 'namespaces'] as const;

/** What a worker without the rights answers to every task that would start a process. */
const refused = { state: 'withdrawn', error: expect.stringMatching(/isolation ".*" is not possible: /) };

/** Runs a script of a tenant; where tests are not root it asserts the refusal, and answers nothing. */
async function runAs(mode: (typeof modes)[number], script: string, tenant = TENANT, changes = {}) {
  const world = await start({ ...isolated(mode), ...changes });
  const ended = await world.run(shell(script, { tenant }));
  if (!isRoot) {
    expect(ended.outcome).toMatchObject(refused);
    return undefined;
  }
  return { ...ended, ...world, lines: own(ended.log) };
}

describe.each(modes)('with isolation "%s" (as root; else it is refused)', (mode) => {
  it('a task runs as its tenant, in a home of its own that is closed to others, and without rights', async () => {
    const ended = await runAs(
      mode,
      'id -un; id -gn; pwd -P; echo "$HOME"; stat -c "%U %a" .; echo x > y; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status',
    );
    if (!ended) return;
    const [user, group, folder, home, mode_, ...rest] = ended.lines;
    expect(ended.outcome.state).toBe('success');
    expect([user, group, mode_]).toEqual([TENANT, TENANT, `${TENANT} 700`]);
    expect(home).toBe(folder);
    expect(rest).toEqual(['CapEff:\t0000000000000000', 'NoNewPrivs:\t1']);
    // The worker tries its folder with a file of its own from time to time.
    expect(readdirSync(ended.worker.config.work).filter((name) => name !== '.health')).toEqual([]);
  });

  it('a task writes to its output and errors by name too', async () => {
    const ended = await runAs(mode, 'echo one >/dev/stdout; echo two >/dev/stderr');
    if (!ended) return;
    expect(ended.outcome.state).toBe('success');
    expect(ended.lines).toEqual(['one', 'two']);
  });

  it('a task reads neither the environment and memory of its worker nor its files and logs', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'token'), 'hush', { mode: 0o600 });
    const tries = [
      `cat /proc/${process.pid}/environ`,
      `head -c1 /proc/${process.pid}/mem`,
      `cat ${folder}/token`,
      `ls ${folder}`,
      'kill -9 $PPID',
      `kill -9 ${process.pid}`,
      'ls "$ORRERY_WORK_DIR/../.."',
      'mv "$ORRERY_WORK_DIR/../script" /tmp/taken',
    ].map((command) => `${command} >/dev/null 2>&1 && echo "did: ${command}"`);
    const ended = await runAs(mode, `${tries.join('\n')}\necho end`, TENANT, { folder });
    if (!ended) return;
    expect(ended.lines).toEqual(['end']);
  });

  it('no tenant reads the folder or the log of another', async () => {
    const world = await start(isolated(mode));
    const first = assignment(shell('echo secret > mine; pwd; sleep 1000', { tenant: TENANT }));
    if (!isRoot) {
      expect((await world.run(shell('true', { tenant: TENANT }))).outcome).toMatchObject(refused);
      return;
    }
    world.master.give(first);
    const log = () => world.worker.logs.read('etl', first.attempt).then(({ bytes }) => own(`${bytes}`));
    await expect.poll(log).toHaveLength(1);
    const [folder] = await log();
    const logs = world.worker.config.logs;
    const tries = [
      `cat ${folder}/mine`,
      `ls ${folder}`,
      `ls ${folder}/..`,
      `ls ${logs}`,
      `cat ${folder}/../script`,
    ];
    const { log: other } = await world.run(
      shell(tries.map((command) => `${command} && echo "did: ${command}"`).join('\n'), {
        tenant: OTHER_TENANT,
        project: 'shop',
      }),
    );
    expect(own(other).filter((line) => line.startsWith('did'))).toEqual([]);
    world.master.kill(first.attempt);
  });

  it('what a task chooses as environment is used by none of its worker’s own processes', async () => {
    const environment = {
      LD_PRELOAD: '/tmp/evil.so',
      PATH: '/nowhere',
      'BASH_FUNC_kill%%': '() { id; }',
      QUOTE: "it's\n$(id)",
    };
    const world = await start(isolated(mode));
    const ended = await world.run(shell('echo "$QUOTE"; echo "$PATH"', { tenant: TENANT, environment }));
    if (!isRoot) {
      expect(ended.outcome).toMatchObject(refused);
      return;
    }
    expect(own(ended.log).filter((line) => !line.startsWith('ERROR: ld.so'))).toEqual([
      "it's",
      '$(id)',
      '/nowhere',
    ]);
    expect(ended.log).toContain('"BASH_FUNC_kill%%" is not set');
  });

  it('an output or a result that is a link, a pipe or another’s file is refused', async () => {
    for (const [make, words] of [
      ['ln -s /etc/shadow "$ORRERY_OUTPUT"', 'is a link'],
      ['mkfifo "$ORRERY_OUTPUT"', 'is not a file'],
    ]) {
      const ended = await runAs(mode, make);
      if (!ended) return;
      expect(ended.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining(words) });
    }
  });

  it('outputs and node functions work', async () => {
    const ended = await runAs(mode, `echo '{"a": 1}' > "$ORRERY_OUTPUT"`);
    if (!ended) return;
    expect(ended.outcome).toMatchObject({ state: 'success', outputs: { a: '1' } });
    const code = `async ({ output }) => { output('uid', process.getuid()); }`;
    const world = await start({ ...isolated(mode), dev: true, codeFolder: '/' });
    const node = await world.run({ type: 'node', with: { code }, tenant: TENANT });
    expect(node.outcome.outputs?.uid, node.log).toBe(String(Number(ended.worker && uidOf(TENANT))));
  });

  it('only listed tenants run, each for its projects, and the default one as the user set for it', async () => {
    const world = await start(isolated(mode));
    const run = async (changes: object) => (await world.run(shell('id -un', changes))).outcome;
    if (!isRoot) {
      expect(await run({})).toMatchObject(refused);
      return;
    }
    expect(own((await world.run(shell('id -un'))).log)).toEqual(['nobody']);
    expect(await run({ tenant: 'root' })).toMatchObject({ state: 'failed', fatal: true });
    expect(await run({ tenant: OTHER_TENANT })).toMatchObject({
      error: `tenant "${OTHER_TENANT}" is not for project "default" on this worker`,
    });
    expect(await run({ tenant: OTHER_TENANT, project: 'shop' })).toMatchObject({ state: 'success' });
  });
});

function uidOf(name: string): string {
  return readFileSync('/etc/passwd', 'utf8').match(new RegExp(`^${name}:[^:]*:(\\d+)`, 'm'))?.[1] ?? '';
}

describe('a worker that isolates tasks', () => {
  it('is refused at its start for users that are not there or are root', async () => {
    const at = (changes: object) => start({ ...isolated('user'), ...changes });
    await expect(at({ tenants: ['nobody-here'] })).rejects.toThrow('there is no system user "nobody-here"');
    await expect(at({ tenants: ['root'] })).rejects.toThrow('tasks cannot run as "root"');
    await expect(at({ tenants: ['a b'] })).rejects.toThrow('"a b" is no tenant');
    await expect(at({ tenants: [], taskUser: undefined })).rejects.toThrow(
      'name the users that tasks may run as',
    );
    await expect(at({ isolation: 'none' })).rejects.toThrow(
      'with isolation "none" all tasks run as the worker',
    );
    await expect(at({ isolation: 'container' })).rejects.toThrow(
      '"container" is none of none, user, namespaces',
    );
  });

  it('says at its start that it cannot, and hands attempts back', async () => {
    // Below a folder that is closed to others, tenants cannot reach their own.
    const world = await start({ ...isolated('user'), work: join(temporaryFolder(), 'work') });
    const { outcome } = await world.run(shell('true', { tenant: TENANT }));
    expect(outcome).toMatchObject(refused);
    expect(statSync(world.worker.config.work).mode & 0o777).toBe(isRoot ? 0o711 : expect.anything());
  });
});

describe('limits of tasks', () => {
  it('end what takes too much memory or processor time, with and without isolation', async () => {
    const taskLimits = { memory: 200_000_000, cpuTime: 1, processes: 2_000 };
    for (const changes of isRoot ? [{}, isolated('user')] : [{}]) {
      const world = await start({ ...changes, taskLimits });
      const busy = await world.run(shell('while :; do :; done'));
      expect(busy.outcome).toMatchObject({ state: 'failed' });
      const greedy = await world.run(shell('dd if=/dev/zero of=/dev/null bs=300M count=1'));
      expect(greedy.outcome).toMatchObject({ state: 'failed' });
      expect(greedy.log).toContain('memory');
      expect((await world.run(shell('true'))).outcome.state).toBe('success');
    }
  });
});
