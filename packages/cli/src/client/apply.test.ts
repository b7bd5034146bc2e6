import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { orrery as call } from '../run-binary.ts';
import { examples, folder, json, orrery, useServer, write } from './use-server.ts';

useServer();

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

  it('tells what was published, and what was not, where the server is gone in between', async () => {
    let published = 0;
    const failing = createServer(async (request, answer) => {
      const name = /name: (\w+)/.exec(await text(request))?.[1];
      const dryRun = request.url?.includes('dryRun=true') ?? false;
      if (!dryRun && ++published > 1) return answer.destroy();
      const version = dryRun ? null : 1;
      const workflows = [{ project: 'default', name, version, changed: true, created: true, diff: [] }];
      answer.writeHead(200, { 'content-type': 'application/json' });
      return answer.end(JSON.stringify({ dryRun, workflows }));
    });
    await new Promise<void>((done) => failing.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
    const files = ['one', 'two', 'three'].map((name) => write(`${name}.yaml`, `name: ${name}\ntasks: []\n`));
    const { code, out, err } = await orrery('apply', '-f', ...files, '--url', url);
    failing.close();
    expect([code, out]).toEqual([1, 'default/one created v1\n']);
    const lines = err.trimEnd().split('\n');
    expect(lines).toEqual([
      `not known whether published: ${files[1]}`,
      `not published: ${files[2]}`,
      expect.stringMatching(/^orrery: no server answers at /),
    ]);
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

  describe('alert files', () => {
    const channels = (url: string) =>
      `channels:\n  - name: ops\n    kind: webhook\n    settings: {url: ${url}, secrets: ['\${secret.hook}']}\n`;
    const rules = (delay: string) =>
      `rules:\n  - {name: failures, match: {kinds: [run-failed]}, channels: [ops], delay: ${delay}}\n`;

    it('are applied together, and again without a change; a change is shown', async () => {
      const inner = join(folder, 'alerts');
      mkdirSync(inner);
      // A rule may stand in a file before that of its channel.
      write('alerts/a-rules.yaml', rules('5m'));
      write('alerts/b-channels.yaml', channels('http://127.0.0.1:9/hook'));
      write('alerts/flow.yaml', 'project: cli\nname: beside\ntasks: [{name: a, type: noop}]\n');
      const dry = await orrery('apply', '-f', inner, '--dry-run');
      expect(dry.out).toBe(
        'cli/beside would be created\nchannel */ops would be created\nrule default/failures would be created\n',
      );
      expect(await orrery('apply', '-f', inner)).toEqual({
        code: 0,
        out: 'cli/beside created v1\nchannel */ops created\nrule default/failures created\n',
        err: '',
      });
      expect((await orrery('apply', '-f', inner)).out).toBe(
        'cli/beside unchanged v1\nchannel */ops unchanged\nrule default/failures unchanged\n',
      );
      write('alerts/a-rules.yaml', rules('10m'));
      write('alerts/b-channels.yaml', channels('http://127.0.0.1:9/other'));
      expect((await orrery('apply', '-f', inner)).out.split('\n').slice(1)).toEqual([
        'channel */ops updated',
        '  ~  settings.url  "http://127.0.0.1:9/hook" -> "http://127.0.0.1:9/other"',
        'rule default/failures updated',
        '  ~  delay  300000 -> 600000',
        '',
      ]);
      expect((await json('rules', 'list')).rules).toMatchObject([{ rule: { delay: 600_000 } }]);
    });

    it('with a problem change nothing, and name file and line', async () => {
      const open = write('open.yaml', channels('http://x.example').replace("'${secret.hook}'", 'hush-hush'));
      const lost = write('lost.yaml', `\n${rules('1m').replace('[ops]', '[nobody]')}`);
      const good = write('good-flow.yaml', 'name: never\ntasks: [{name: a, type: noop}]\n');
      const { code, out, err } = await orrery('apply', '-f', good, open, lost);
      expect([code, out]).toEqual([2, '']);
      const lines = err.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(
        new RegExp(`^${open}:4:\\d+: channels\\[0\\]\\.settings\\.secrets: is a secret`),
      );
      expect(lines[0]).not.toContain('hush-hush');
      expect(lines[1]).toMatch(
        new RegExp(`^${lost}:3:\\d+: rules\\[0\\]\\.channels\\[0\\]: there is no channel`),
      );
    });
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
    // The console says where they come from, and edits no text of theirs.
    const { workflows } = await json('workflows', 'list');
    const a = workflows.find(({ name }: { name: string }) => name === 'module-a');
    expect(a.module).toMatch(/modules\/some\.workflow\.mjs$/);
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
      alerts: [],
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
