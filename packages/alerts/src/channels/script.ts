/** A program on the master's machine: it gets the message as JSON on its standard input, and nothing in its arguments. */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import { channelKind, type SendAnswer } from '../channel.ts';

const MOST_ANSWER = 500;

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
        timeout,
        killSignal: 'SIGKILL',
      });
      let said = '';
      const listen = (data: Buffer) => {
        if (said.length < MOST_ANSWER) said += data.toString();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.stdin.on('error', () => {});
      child.on('error', (error) => resolve({ state: 'again', answer: error.message }));
      child.on('close', (code, signal) => {
        const answer = `${code === null ? `ended by ${signal}` : `exit code ${code}`} ${said}`
          .trim()
          .slice(0, MOST_ANSWER);
        resolve(code === 0 ? { state: 'sent', answer } : { state: 'again', answer, unsure: code === null });
      });
      child.stdin.end(JSON.stringify({ id, thread, ...text }));
    });
  },
});
