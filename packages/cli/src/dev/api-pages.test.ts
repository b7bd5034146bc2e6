/** The pages of docs/api are true: their commands are run one after the other, each page on a server of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { killGroup } from '@orrery/testkit/kill-group';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServerProcess } from './server-process.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'api');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

/** What a page has people do: write a file, or type a command and see its output. */
type Step =
  | { readonly file: string; readonly text: string }
  | { readonly command: string; readonly output: string };

/** Outputs begin where they would on a screen; a command goes on over lines that leave a quote open. */
function stepsOf(page: string): Step[] {
  return [...page.matchAll(/```(yaml|console)\n(.*?)```/gs)].flatMap(([, kind, block]): Step[] => {
    if (kind === 'yaml') {
      const [head, ...lines] = block.split('\n');
      return [{ file: head.replace('# ', ''), text: lines.join('\n') }];
    }
    return block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const lines = example.split('\n');
        let end = 1;
        while ((lines.slice(0, end).join('\n').match(/'/g) ?? []).length % 2 === 1) end++;
        return { command: lines.slice(0, end).join('\n'), output: lines.slice(end).join('\n') };
      });
  });
}

/** An output as the page shows it: `…` stands for anything. */
function pattern(shown: string): RegExp {
  const parts = shown.trimEnd().split('…');
  return new RegExp(
    `^${parts.map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('[\\s\\S]*')}$`,
  );
}

/** A shell that keeps its variables from one command to the next; a missing command ends it, in loops too. */
async function runAll(commands: readonly string[], cwd: string): Promise<string[]> {
  const mark = '--- next ---';
  const script = commands.map((command) => `${command}\nprintf '\\n%s\\n' '${mark}'\n`).join('');
  const shell = spawn('sh', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  onTestFinished(() => killGroup(shell));
  let missing = '';
  createInterface(shell.stderr).on('line', (line) => {
    if (!line.endsWith(' not found')) return;
    missing ||= line;
    killGroup(shell);
  });
  const printed = await text(shell.stdout);
  if (missing !== '') throw new Error(`a command is missing: ${missing}`);
  return printed.split(`\n${mark}\n`);
}

// What the page about webhooks starts its server with.
process.env.ORRERY_SECRET_DEPLOY_HOOK = 'letmein';

describe.each(pages)('docs/api/%s', (name) => {
  const steps = stepsOf(readFileSync(join(folder, name), 'utf8'));

  it('shows what its commands print', { timeout: 120_000 }, async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'orrery-api-pages-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const server = await ServerProcess.start(join(cwd, 'data'));
    onTestFinished(async () => {
      await server.end('SIGTERM');
    });
    for (const step of steps) if ('file' in step) writeFileSync(join(cwd, step.file), step.text);
    const shown = steps.flatMap((step) => ('command' in step ? [step] : []));
    const host = server.url.replace('http://', '');
    const printed = await runAll(
      shown.map(({ command }) => command.replaceAll('localhost:7070', host)),
      cwd,
    );
    for (const [k, { command, output }] of shown.entries())
      expect(printed[k].trimEnd(), command).toMatch(pattern(output));
    expect(shown.length).toBeGreaterThan(2);
  });
});

it('a page whose command is missing fails at once, also where it waits in a loop', async () => {
  const commands = ['until orrery-nosuch; do sleep 0.1; done'];
  await expect(runAll(commands, tmpdir())).rejects.toThrow(/^a command is missing: .*orrery-nosuch/);
});
