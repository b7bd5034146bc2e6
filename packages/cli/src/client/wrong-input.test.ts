import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, orrery, start, useServer, write } from './use-server.ts';

useServer();

const from1 = 'write a whole number from 1, such as 12';

describe('what cannot be meant is told in one line, which says what is accepted', () => {
  it.each([
    [['why', '0'], 'id: must be a whole number from 1'],
    [['why', 'abc'], 'id: is neither a run nor a task run; write 12 or 12.extract'],
    [['why', ''], "argument 'id' is empty"],
    [['projects', 'show', ''], "argument 'project' is empty"],
    [['runs', 'tag', '12', 'a', ''], "argument 'tag' is empty"],
    [['runs', 'show', '0'], `"0" is not a run; ${from1}`],
    [['runs', 'show', '-1'], `"-1" is not a run; ${from1}`],
    [['runs', 'show', '1.5'], `"1.5" is not a run; ${from1}`],
    [['runs', 'show', '9'.repeat(20)], `"${'9'.repeat(20)}" is not a run; it is too large`],
    [['schedules', 'pause', 'nightly'], 'there is no workflow default/nightly'],
    [['runs', 'shwo', '2'], /^unknown command 'runs shwo'; there are list, show, .*set-priority, tag, /],
    [
      ['nodes', 'x'],
      "unknown command 'nodes x'; there are list, attempts, drain, invite, invitations, uninvite, undrain, forget",
    ],
    [['runs', 'show', '1', '2'], "too many arguments for 'show'. Expected 1 argument but got 2: 1, 2."],
    [['runs', 'list', '--state', 'success,faild'], /^state: "faild": must be one of queued, /],
    [['runs', 'list', '--error', ''], 'error: must not be empty'],
    [['run', 'hello', '--priority', 'odd'], 'priority: must be one of highest, high, medium, low, lowest'],
    [
      ['environments', 'set', 'e', '-v', 'x'],
      `option '-v, --variable <key=value>' argument 'x' is invalid. Write a key, "=" and a value.`,
    ],
    [
      ['groups', 'set', 'a/b/c', '--slots', '1'],
      '"a/b/c" is no task group; write project/name, or name in the project "default"',
    ],
    [['limits', 'set', '--weight', 'x=y'], '--weight: "y" is not a weight; write a number such as 2 or 0.5'],
    [['ownership', 'set', '--mode', 'x'], '--mode: "x" is not a mode; write scope or claim'],
    [
      ['ownership', 'set', '--tolerance', '0'],
      /^"0" is not a number of masters; write a whole number from 1/,
    ],
    [['ownership', 'set', '--master-weight', 'm1=0'], /^"0" is not a number, nor none; write a whole number/],
    [['ownership', 'set'], /^say what to change, such as --mode claim/],
    [['limits', 'set', '--runs', 'x'], /^"x" is not a number of runs, nor none; write a whole number from 0/],
    [['nodes', '--url', ''], '--url: is empty; write http://127.0.0.1:7070'],
    [['nodes', '--token', '令牌'], '--token: has characters that no token has'],
    [['apply', '-f', write('blank.yaml', ' \n')], /blank\.yaml: is empty; a workflow has a name and tasks$/],
    [['workflows', 'export', '--out', write('a-file', 'x')], /^ENOTDIR: not a directory, mkdir /],
    [['dev', '--port', '99999'], /^option '--port <port>' argument '99999' is invalid\. ports go from 0 /],
    [
      ['dev', '--data', write('no-folder', 'x'), '--port', '0'],
      /^--data: .* is a file or lies below one; name a folder$/,
    ],
    [
      ['dev', '--sample', join(folder, 'none.yaml'), '--port', '0'],
      /^ENOENT: no such file or directory, open /,
    ],
    [
      ['dev', '--database', 'orders', '--data', join(folder, 'd'), '--port', '0'],
      'the address of a database starts with postgres://',
    ],
  ] satisfies [string[], string | RegExp][])('%j', async (args, line) => {
    const { code, out, err } = await orrery(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^orrery: [^\n]*\n$/);
    const told = err.slice('orrery: '.length, -1);
    expect(told).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
  });

  it('a folder in place of a file, where a file is read', async () => {
    mkdirSync(join(folder, 'folder.yaml'), { recursive: true });
    const { code, err } = await orrery('apply', '-f', join(folder, 'folder.yaml'));
    expect([code, err]).toEqual([2, expect.stringMatching(/^orrery: folder .* has no workflow: .*\n$/)]);
  });

  it('a shard of a task that has none', async () => {
    const id = await start('hello');
    await orrery('logs', '-f', `${id}.prepare`);
    const { code, err } = await orrery('logs', `${id}.prepare`, '--shard', '0');
    expect([code, err]).toEqual([2, `orrery: ${id}.prepare has no shard 0; it has none\n`]);
  });

  it('a server that is another, which answers with a page', async () => {
    const other = createServer((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, out, err } = await orrery('runs', 'show', '1', '--url', url);
    other.close();
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^orrery: what answers at \S+\/api\/v1\/runs\/1 is not the API of an Orrery server; /,
    );
  });

  it('no workflow of a project, where they are exported', async () => {
    const { code, out } = await orrery(
      'workflows',
      'export',
      '--project',
      'none',
      '--out',
      join(folder, 'out'),
    );
    expect([code, out]).toEqual([0, 'no workflows\n']);
  });
});
