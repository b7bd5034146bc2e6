import { started } from '@orrery/testkit/run-world';
import { dynamic, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../model/index.ts';
import { settingsOf } from './settings.ts';

const places =
  "it could come from the start of the run, the task's params, an output of a task before it, or the params of the workflow, the project or all projects";

/** A task after one that printed nothing. */
function after(last: TaskSpec, outputs?: Record<string, string>) {
  const world = started(
    workflow([task('list'), { ...last, needs: ['list'] }, task('x', { needs: [last.name] })]),
  );
  world.end('list', 'success', { outputs });
  return world;
}

describe('a name that nobody gave', () => {
  it('fails a fan-out over it, which starts no child run', () => {
    const over = [{ name: 'table', values: '${tables}' }];
    const world = after(dynamic('copy', { over }));
    expect([world.state, world.children.size, world.task('copy').reason]).toEqual([
      'failed',
      0,
      `parameter "table": "tables" has no value: ${places}`,
    ]);
  });

  it('fails a fan-out that hands it on', () => {
    const world = after(
      dynamic('copy', { over: [{ name: 'a', values: '1,2' }], params: { dir: '/${dir}' } }),
    );
    expect([world.children.size, world.task('copy').reason]).toEqual([
      0,
      `parameter "dir": "dir" has no value: ${places}`,
    ]);
  });

  it('fails a sub-workflow that hands it on', () => {
    const world = after(subWorkflow('sub', { day: '${day}' }));
    expect([world.children.size, world.task('sub').reason]).toEqual([
      0,
      `parameter "day": "day" has no value: ${places}`,
    ]);
  });

  it('is found behind a name that refers to it, and inside a time', () => {
    const world = after({ ...subWorkflow('sub', { day: '${path}' }), params: { path: '/in/${day}' } });
    expect(world.task('sub').reason).toBe(
      `parameter "day": "path" refers to "day", which has no value: ${places}`,
    );
    const time = after(subWorkflow('sub', { day: '$[yyyyMMdd-${days}]' }));
    expect(time.task('sub').reason).toBe(`parameter "day": "days" has no value: ${places}`);
  });

  it('fails a switch that asks for it', () => {
    const cases = [{ when: '${rows} > 5', to: ['x'] }];
    const world = after(task('choose', { type: 'switch', with: { cases } }));
    expect(world.task('choose').reason).toBe(`"rows" has no value: ${places}`);
  });

  it('is fine where it is given, and where it only looks like one', () => {
    const world = after(subWorkflow('sub', { day: '${day}', cost: '\\${cost}', key: '${secret.key}' }), {
      day: 'monday',
    });
    expect([...world.children.values()].map(({ start }) => start.params)).toEqual([
      { day: 'monday', cost: '\\${cost}', key: '${secret.key}' },
    ]);
  });
});

describe('the settings of a task that is about to run', () => {
  const complete = (spec: TaskSpec) => settingsOf(after(spec).run, 1, { complete: true });

  it('refuse an address with a name that nobody gave', () => {
    const call = (settings: unknown) => () => complete(task('call', { type: 'http', with: settings }));
    expect(call({ url: 'http://${host}/' })).toThrow(`url: "host" has no value: ${places}`);
    expect(call({ url: 'http://a/', headers: { key: '${key}' } })).toThrow('headers.key: "key" has no value');
    expect(call({ url: 'http://a/', body: ['${x}'] })).toThrow('body.0: "x" has no value');
  });

  it("hold what is not the author's as data: in an address, a header, and as the name of a program", () => {
    const x = '../admin?a=b&c\r\nx: y';
    const given = (type: string, settings: unknown) => () =>
      settingsOf(
        after(task('call', { type, with: settings }), { x, host: 'a:80', base: 'http://b/c' }).run,
        1,
        {
          complete: true,
        },
      ).with;
    expect(given('http', { url: 'http://${host}/o/${x}?q=${x}' })()).toEqual({
      url: `http://a:80/o/${encodeURIComponent(x)}?q=${encodeURIComponent(x)}`,
    });
    expect(given('http', { url: '${base}/o' })()).toEqual({ url: 'http://b/c/o' });
    expect(given('http', { url: 'http://${x}/' })).toThrow('url: the value of ${x} is not a host name');
    expect(given('http', { url: 'http://a', headers: { k: '${x}' } })).toThrow(
      'must not contain a line break',
    );
    for (const type of ['shell', 'ssh']) {
      expect(given(type, { script: 'true', shell: '${host}' })).toThrow('cannot choose the program');
      expect(JSON.stringify(given(type, { script: 'echo "${x}"' })())).not.toContain('admin');
    }
  });

  const evil = `'; DROP TABLE t; -- $(id)`;
  const withOutputs = (type: string, settings: unknown, outputs: Record<string, string>) => () =>
    settingsOf(after(task('call', { type, with: settings }), outputs).run, 1, { complete: true }).with;
  it.each([
    ['container', { image: 'a', command: ['sh', '-c', 'echo "${x}"'] }],
    ['container', { image: 'a', command: ['/bin/bash', '-e', '-lc', '${x}'] }],
    ['kubernetes', { image: 'a', command: ['sh'], args: ['-c', 'echo ${x}'] }],
    ['kubernetes', { image: 'a', args: ['-c', 'echo ${x}'] }],
    ['container', { program: '${x}', image: 'a' }],
    ['datax', { job: { reader: { querySql: ["select '${x}'"] } } }],
    ['hive', { sql: "select '${x}'" }],
    ['hive', { file: 'a.sql', vars: { day: '${x}' } }],
    ['sqoop', { query: "select 1 where a = '${x}' and $CONDITIONS" }],
    ['seatunnel', { config: 'env { name = "${x}" }' }],
    ['dbt', { vars: { day: '${x}' } }],
    ['node', { code: 'async () => "${x}"' }],
    ['python', { code: 'pass', requirements: ['${x}'] }],
    ['python', { code: 'pass', interpreter: '${x}' }],
  ])("refuse what is not the author's where a program of type %s parses it: %j", (type, settings) => {
    expect(withOutputs(type, settings, { x: evil })).toThrow('has a value from outside the workflow');
    const raw = JSON.parse(JSON.stringify(settings).replaceAll('${x}', '${x:raw}'));
    expect(JSON.stringify(withOutputs(type, raw, { x: evil })())).toContain('DROP TABLE');
  });

  it('put a plain word, number, date or path there, and anything where nothing parses it', () => {
    for (const x of ['orders', '-5', '2026-11-18', '2026-11-18 06:00:00', 'in/北京.csv', ''])
      expect(withOutputs('hive', { sql: "select '${x}'" }, { x })()).toEqual({ sql: `select '${x}'` });
    for (const x of ['1 or true', 'a--b', '//a', "a'", 'a"', 'a\n', '$[yyyy]'])
      expect(withOutputs('hive', { sql: "select '${x}'" }, { x })).toThrow('another program would parse');
    const container = { image: 'app:${v}', command: ['cat', '${x}'], env: { X: '${x}' } };
    expect(withOutputs('container', container, { x: evil, v: '1.2' })()).toEqual({
      image: 'app:1.2',
      command: ['cat', evil],
      env: { X: evil },
    });
    const mail = { html: '<p>${x}</p>', text: '${x}' };
    expect(withOutputs('mail', mail, { x: '<img src=x>' })()).toEqual({
      html: '<p>&#60;img src=x&#62;</p>',
      text: '<img src=x>',
    });
    expect(withOutputs('wait', { url: 'http://a/o/${x}' }, { x: '../b?c' })()).toEqual({
      url: 'http://a/o/..%2Fb%3Fc',
    });
  });

  it.each([
    ['sql', { csv: 'out/${x}.csv' }, '../../etc/cron.d/job'],
    ['sql', { file: 'sql/${x}' }, '..'],
    ['mail', { attachments: ['a.csv', '/data/${x}'] }, 'in/../../etc/passwd'],
    ['python', { file: '${x}' }, '../other.py'],
    ['container', { image: 'a', mounts: [{ source: '/data/${x}', path: '/in' }] }, '..'],
    ['wait', { file: '/data/${x}${y}/a' }, '.'],
  ])('keep values to their folder where a setting of type %s is a path: %j', (type, settings, x) => {
    expect(withOutputs(type, settings, { x, y: '.' })).toThrow('leads to another folder with ".."');
    const plain = JSON.stringify(settings).replaceAll('${x}', '2026-11-18/..a').replaceAll('${y}', '');
    expect(JSON.stringify(withOutputs(type, settings, { x: '2026-11-18/..a', y: '' })())).toBe(plain);
  });

  it('lead up where the author does', () => {
    const up = withOutputs('sql', { csv: '../out/${x}' }, { x: 'a.csv' });
    expect(up()).toEqual({ csv: '../out/a.csv' });
    expect(withOutputs('sql', { csv: '../${x}' }, { x: '../a.csv' })).toThrow('another folder');
    expect(withOutputs('sql', { csv: 'out/${x:raw}' }, { x: '../a.csv' })()).toEqual({ csv: 'out/../a.csv' });
  });

  it('keep what may be a variable of a shell or of a script', () => {
    const script = 'echo ${HOME} ${nobody}';
    expect(complete(task('run', { type: 'shell', with: { script } })).with).toEqual({ script });
    expect(complete(task('run', { type: 'python', with: { script } })).with).toEqual({ script });
    expect(complete(task('run', { params: { out: '${HOME}/out' } })).params).toEqual({ out: '${HOME}/out' });
  });

  it('are shown before the tasks before it have printed anything', () => {
    const world = started(workflow([task('call', { type: 'http', with: { url: '${later}' } })]));
    expect(settingsOf(world.run, 0).with).toEqual({ url: '${later}' });
  });
});
