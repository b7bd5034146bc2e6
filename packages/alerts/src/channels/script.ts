/**
 * A program on the master's machine: it gets the message as JSON on its standard input, and nothing in its arguments. When
 * its time is over, it is killed together with the programs that it started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { z } from 'zod';
import { channelKind, type SendAnswer } from '../channel.ts';

/** Characters of the output that are kept. */
const MOST_OUTPUT = 4_000;

export const script = channelKind({
  schema: z.strictObject({
    program: z.string().startsWith('/', { error: 'must be an absolute path' }),
    args: z.array(z.string()).default([]),
  }),
  async send({ program, args }, { text, id, thread }, { timeout }) {
    return await new Promise<SendAnswer>((resolve) => {
      const child = spawn(program, args, {
        env: { PATH: process.env.PATH ?? '' },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      const timer = setTimeout(() => endGroup(child), timeout);
      let said = '';
      const listen = (data: Buffer) => {
        if (said.length < MOST_OUTPUT) said += data.toString();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.stdin.on('error', () => {});
      child.on('error', (error) => {
        clearTimeout(timer);
        resolve({ state: 'again', answer: error.message });
      });
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        const answer = `${code === null ? `ended by ${signal}` : `exit code ${code}`} ${said}`.trim();
        resolve(code === 0 ? { state: 'sent', answer } : { state: 'again', answer, unsure: code === null });
      });
      child.stdin.end(JSON.stringify({ id, thread, ...text }));
    });
  },
});

/** Kills what is left of the program's group. A program outside it may hold the output open: nobody listens any more. */
function endGroup({ pid, stdout, stderr }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
  stdout?.destroy();
  stderr?.destroy();
}
