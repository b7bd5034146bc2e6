/** Values from outside in scripts, against real shells: whatever they hold, no shell parses it. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from './server-process.ts';

let folder: string;
let server: ServerProcess;
let canary: string;
let printed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-values-'));
  canary = join(folder, 'canary');
  printed = join(folder, 'printed');
  process.env.ORRERY_SECRET_HOOK = 'what-requests-are-signed-with';
  server = await ServerProcess.start(join(folder, 'data'), '--slots', '8');
  for (const shell of ['/bin/sh', '/bin/bash'])
    expect((await server.post('/workflows', JSON.stringify(workflow(shell)))).status).toBe(200);
});
afterAll(async () => {
  delete process.env.ORRERY_SECRET_HOOK;
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A reference at every kind of place; what the task does with a value is in the file of its name. */
const places = (name: string): Record<string, string> => ({
  bare: `printf %s \${${name}} > $FILE`,
  quoted: `printf %s "\${${name}}" > $FILE`,
  single: `printf %s '\${${name}}' > $FILE`,
  'here-document': `cat > $FILE <<END\n\${${name}}\nEND`,
  'quoted-here-document': `cat > $FILE <<'END'\n\${${name}}\nEND`,
  arithmetic: `printf %s $((\${${name}} + 1)) > $FILE`,
  assignment: `x=\${${name}}; printf %s "$x" > $FILE`,
  'sh-c-single': `sh -c 'printf %s "\${${name}}"' > $FILE`,
  'sh-c-double': `sh -c "printf %s \\"\${${name}}\\"" > $FILE`,
  'sh-c-bare': `sh -c "printf %s \${${name}}" > $FILE`,
  eval: `eval "printf %s \${${name}}" > $FILE`,
});

function workflow(shell: string) {
  const task = (source: string, needs?: string) =>
    Object.entries(places(source)).map(([name, script]) => ({
      name: `${source}-${name}`,
      type: 'shell',
      needs,
      with: { shell, script: script.replaceAll('$FILE', `${printed}-${source}-${name}`) },
    }));
  const emit = { name: 'emit', type: 'noop', with: { outputs: { handed: '${given}' } } };
  return {
    name: shell.slice(5),
    params: { given: 'nothing' },
    onFailure: 'continue',
    triggers: [{ name: 'sent', webhook: { secret: 'hook', params: { given: 'body.value' } } }],
    tasks: [emit, ...task('given'), ...task('handed', 'emit')],
  };
}

async function sent(name: string, value: string): Promise<number> {
  const body = JSON.stringify({ value });
  const seconds = String(Math.floor(Date.now() / 1_000));
  const sum = createHash('sha256').update(body).digest('hex');
  const delivery = randomUUID();
  const text = ['POST', `default/${name}/sent`, seconds, delivery, sum].join('\n');
  const digest = createHmac('sha256', 'what-requests-are-signed-with').update(text);
  const answer = await fetch(`${server.url}/api/v1/hooks/default/${name}/sent`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'orrery-timestamp': seconds,
      'orrery-delivery': delivery,
      'orrery-signature': `v2=${digest.digest('hex')}`,
    },
    body,
  });
  return ((await answer.json()) as { id: number }).id;
}

async function started(name: string, value: string): Promise<number> {
  const answer = await server.post('/runs', JSON.stringify({ workflow: name, params: { given: value } }));
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { id: number }).id;
}

async function ended(run: number): Promise<string> {
  for (;;) {
    const { state } = await server.get<{ state: string }>(`/runs/${run}`);
    if (['success', 'failed', 'stopped', 'broken'].includes(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What each place printed, and that file removed. */
function results(): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.startsWith('printed-'));
  return Object.fromEntries(
    files.map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      rmSync(join(folder, file));
      return [file.slice('printed-'.length), text];
    }),
  );
}

const values: Record<string, (file: string) => string> = {
  'a command substitution': (file) => `$(touch ${file})`,
  backticks: (file) => `\`touch ${file}\``,
  quotes: (file) => `'; touch ${file}; '"; touch ${file}; "`,
  newlines: (file) => `a\ntouch ${file}\nEND\ntouch ${file}\n`,
  'a star': () => '*',
  'an array index': (file) => `a[$(touch ${file})]`,
  '200 KB': (file) => `${'x'.repeat(200_000)}$(touch ${file})\n\n`,
};

describe.each(['sh', 'bash'])('a value in a script of %s', (shell) => {
  describe.each(Object.entries(values))('that is %s', (what, make) => {
    it.each(['started', 'sent'])(
      'and was %s with the run, or printed by a task, runs nothing',
      async (how) => {
        const value = make(canary);
        await ended(await (how === 'started' ? started : sent)(shell, value));
        expect(existsSync(canary)).toBe(false);
        const found = results();
        for (const source of ['given', 'handed']) {
          const at = (place: string) => found[`${source}-${place}`];
          expect([at('quoted'), at('assignment')]).toEqual([value, value]);
          expect(at('here-document')).toBe(`${value}\n`);
          for (const place of ['single', 'quoted-here-document', 'arithmetic'])
            expect(at(place)).toBeUndefined();
          // A large value is a variable of the first shell alone: no environment could hold it.
          const inner = what === '200 KB' ? '' : value;
          expect([at('sh-c-single'), at('sh-c-double')]).toEqual([inner, inner]);
        }
      },
    );
  });

  it('may be a number in arithmetic', async () => {
    await ended(await started(shell, '41'));
    expect(results()).toMatchObject({ 'given-arithmetic': '42', 'handed-arithmetic': '42' });
  });
});
