import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'orrery-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): string {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
  return join(folder, path);
}

const good = 'name: good\ntasks: [{name: a, type: shell, with: {script: "true"}}]\n';

describe('orrery check', () => {
  it('needs no server, and says of each workflow that it is right', async () => {
    const path = write('good.yaml', good);
    const { code, out, err } = await orrery(['check', path, join(root, 'examples')]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`default/good ok ${path}\n`);
    expect(out).toContain('default/hello ok ');
  });

  it('tells every problem with its place, and ends with 2', async () => {
    const bad = write('bad.yaml', 'name: bad\ntasks:\n  - {name: a, type: http, with: {url: "ftp://x/y"}}\n');
    const typo = write('typo.yaml', 'name: typo\ntasks: [{name: a, type: shel}]\n');
    const { code, err } = await orrery(['check', bad, typo]);
    expect(code).toBe(2);
    const lines = err.trimEnd().split('\n');
    expect(lines[0]).toContain(`${bad}:3:`);
    expect(lines[0]).toContain('tasks[0].with.url: "ftp://x/y" is not accepted here');
    expect(lines[1]).toMatch(/did you mean "shell"\?; if it is a plugin's, name that with --plugin$/);
    const json = await orrery(['check', good, typo, '--json']);
    expect(json.code).toBe(2);
    const answer = JSON.parse((await orrery(['check', typo, '--json'])).out);
    expect(answer.problems[0]).toMatchObject({ file: typo, line: 2, code: 'unknown-type' });
  });

  it('knows the types of plugins that are named', async () => {
    const path = write('count.yaml', 'name: count\ntasks: [{name: a, type: count-lines, with: {file: x}}]\n');
    expect((await orrery(['check', path])).code).toBe(2);
    const plugin = ['--code', root, '--plugin', './examples/plugins/count-lines'];
    expect(await orrery(['check', path, ...plugin])).toMatchObject({ code: 0, err: '' });
  });

  it('reads alert files too, with the settings of channels', async () => {
    const alerts = write(
      'alerts.yaml',
      'channels: [{name: ops, kind: slack, settings: {url: "${secret.slack}"}}]\nrules: [{name: all, channels: [ops]}]\n',
    );
    expect(await orrery(['check', alerts])).toEqual({
      code: 0,
      out: `channel */ops ok ${alerts}\nrule default/all ok ${alerts}\n`,
      err: '',
    });
    const open = write(
      'open.yaml',
      'channels:\n  - name: ops\n    kind: slack\n    settings: {url: "https://hooks.slack.com/services/T0/B0/xyz"}\n',
    );
    const { code, err } = await orrery(['check', open]);
    expect(code).toBe(2);
    expect(err).toMatch(/open\.yaml:4:\d+: channels\[0\]\.settings\.url: is a secret; name one/);
  });

  it('takes of a folder what says that it is a workflow and is not ignored', async () => {
    const inner = join(folder, 'project');
    write('project/flow.yaml', good);
    write('project/package.json', '{"name": "my-project", "scripts": {"tasks": "x"}}');
    write('project/compose.yaml', 'name: shop\nservices: {}\n');
    write('project/Taskfile.yml', 'version: "3"\ntasks: {build: {}}\n');
    write('project/broken.yaml', 'name: broken\ntasks:\n  - {name: a, type: noop, needs: [b}\n');
    write('project/draft.local.yaml', 'name: draft\ntasks: []\n');
    write('project/kept.local.yaml', good.replace('good', 'kept'));
    write('project/.orreryignore', '# mine\n*.local.yaml\n!kept.*\n');
    const { code, out, err } = await orrery(['check', inner]);
    expect(code).toBe(2);
    expect(out.match(/default\/\w+/g)).toEqual(['default/good', 'default/kept']);
    expect(err).toContain(`${join(inner, 'broken.yaml')}:3:`);
    const left = ['Taskfile.yml', 'compose.yaml', 'package.json'].map((name) => join(inner, name)).join(', ');
    expect(err).toContain(`left out, by the keys at the top neither a workflow nor an alert file: ${left}\n`);
    expect(err).not.toContain('draft');
    const none = await orrery(['check', join(root, 'docs')]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no workflow')]);
  });
});
