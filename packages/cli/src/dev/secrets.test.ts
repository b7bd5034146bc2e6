/** A secret that tasks print, hand on, fail with and pass to each other is nowhere on the disk of the server. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { ServerProcess } from './server-process.ts';

const value = 'correct-horse-battery-staple';
const workflow = `
name: leaky
params: { password: "\${secret.vault}", started: no }
tasks:
  - name: print
    type: shell
    with: { script: "echo $ORRERY_PARAM_PASSWORD; echo '\${setValue(handed=\${secret.vault})}'; echo \${secret.vault} >&2" }
  - name: use
    type: shell
    needs: print
    with: { script: 'test "$ORRERY_PARAM_HANDED" = "***" && echo "\${started}" | tr -d "{"' }
  - name: fail
    type: http
    needs: use
    with: { url: "http://\${secret.vault}.invalid/" }
  - name: lacking
    type: shell
    with: { script: "echo \${secret.nothing}" }
`;

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-secret-'));
  mkdirSync(join(folder, 'secrets', 'default'), { recursive: true });
  writeFileSync(join(folder, 'secrets', 'default', 'vault'), `${value}\n`);
  server = await ServerProcess.start(join(folder, 'data'), '--secrets', join(folder, 'secrets'));
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('is in no table, no log and no answer', { timeout: 120_000 }, async () => {
  expect((await server.post('/workflows', workflow, 'application/yaml')).status).toBe(200);
  const started = 'started=${secret.vault} ${password}';
  const answer = await orrery(['run', 'leaky', '-p', started, '--wait', '--json', '--url', server.url]);
  expect(answer.err).toBe('');
  const { id, state } = JSON.parse(answer.out);
  expect(state).toBe('failed');
  const text = async (path: string) => JSON.stringify(await server.get(path));
  const tasks = ['print', 'use', 'fail', 'lacking'];
  const shown = await Promise.all(tasks.map((task) => text(`/task-runs/${id}.${task}`)));
  expect(shown[0]).toContain('${secret.vault}');
  expect(shown[1]).toContain('"state":"success"');
  expect(shown[2]).toContain('***');
  expect(shown[3]).toContain('there is no secret');
  const log = (await orrery(['logs', `${id}.print`, '--url', server.url])).out;
  expect(log).toContain('***');
  expect(await server.end('SIGTERM')).toBe(0);
  const files = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true });
  const read = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)));
  expect(read.some((bytes) => bytes.includes('leaky'))).toBe(true);
  expect(read.filter((bytes) => bytes.includes(value))).toEqual([]);
  expect(`${shown}${log}`).not.toContain(value);
});
