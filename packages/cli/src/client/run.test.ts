import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { describe, expect, it } from 'vitest';
import { folder, json, orrery, useServer, write } from './use-server.ts';

useServer();

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
    expect(await json('run', 'shards')).toEqual({
      id: expect.any(Number),
      state: 'queued',
      repeated: false,
      counts: true,
    });
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

  it('tests a draft, which counts for nothing, and leaves the live version as it is', async () => {
    const ran = join(folder, 'drafted');
    const text = `name: drafted\ntasks: [{name: a, type: shell, with: {script: "touch '${ran}'"}}]`;
    const { ORRERY_URL: url, ORRERY_TOKEN: token } = process.env;
    const client = createClient({ url: url ?? '', token });
    await client.saveDraft({ project: 'default', name: 'drafted', body: { text } });
    const { code, out, err } = await orrery('run', 'drafted', '--draft', '--wait');
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('counts for nothing: it is a test run of a draft'),
    ]);
    expect(out).toMatch(/run \d+ success after /);
    expect(existsSync(ran)).toBe(true);
    expect((await orrery('runs', 'list', '--workflow', 'drafted')).out).toMatch(
      /default\/drafted draft .*not counted/,
    );
    expect((await orrery('run', 'hello', '--dry-run', '--wait')).code).toBe(0);
    expect((await orrery('workflows', 'list')).out).toMatch(/default\/hello +v\d+ +success not counted/);
    expect((await orrery('run', 'drafted')).code).toBe(2);
    const both = await orrery('run', 'drafted', '--draft', '--counts');
    expect([both.code, both.err]).toEqual([
      2,
      'orrery: a test run of a draft never counts: leave out --counts\n',
    ]);
    expect((await orrery('run', 'hello', '--draft')).err).toMatch(/default\/hello has no draft/);
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
    [
      ['run', 'hello', '--param', 'name'],
      /^orrery: option '-p, --param <key=value>' argument 'name' is invalid/,
    ],
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

describe('runs start', () => {
  it('starts what a file lists, tells what became of each, and ends with 1 if one was refused', async () => {
    const lines = [{ workflow: 'hello', key: 'a' }, { workflow: 'nosuch' }, { workflow: 'hello', key: 'a' }];
    const file = write('starts.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
    const { code, out, err } = await orrery('runs', 'start', '-f', file);
    expect(code).toBe(1);
    expect(out).toMatch(/^start 1: run (\d+) queued\nstart 3: run \1 \w+\n$/);
    expect(err).toContain('start 2: there is no workflow default/nosuch');
    expect(await orrery('runs', 'start', '-f', write('empty.jsonl', '\n'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('write one JSON object a line'),
    });
    expect(
      await orrery('runs', 'start', '-f', write('odd.jsonl', '{"workflow": "hello"}\nhello')),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining('line 2 of'),
    });
  });
});
