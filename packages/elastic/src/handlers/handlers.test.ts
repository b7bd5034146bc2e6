import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import { defineJob, type HandlerPorts } from '../define.ts';
import type { ShardContext } from '../run/context.ts';
import type { Command } from './script.ts';

const context: ShardContext = {
  job: 'settle',
  namespace: 'billing',
  instance: 'a@-@1',
  round: 'r1',
  cause: 'tick',
  shard: 1,
  total: 2,
  parameter: '上海',
  jobParameter: 'all',
  triggerParameter: undefined,
  due: 0,
  attempt: 1,
  signal: new AbortController().signal,
  token: 7,
  isOutdated: () => false,
  log: () => {},
};
const ports = (more: Partial<HandlerPorts>): HandlerPorts => ({
  clock: new VirtualClock(0),
  runCommand: async () => 0,
  fetch: async () => new Response(''),
  ...more,
});
const base = { name: 'settle', shards: 2 };

describe('a script job', () => {
  it('gets its context as the last argument and in the environment, and fails by its exit code', async () => {
    const commands: Command[] = [];
    let end: number | string = 0;
    const runCommand = async (command: Command) => {
      commands.push(command);
      return end;
    };
    const { handler, identity } = defineJob(
      'billing',
      { ...base, script: 'settle.sh' },
      ports({ runCommand }),
    );
    await handler(context);
    expect(identity).toBe('script');
    const [{ line, argument, environment }] = commands;
    expect(line).toBe('settle.sh');
    expect(argument).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(argument)).toMatchObject({
      ...{ shard: 1, total: 2, parameter: '上海', token: 7 },
      ...{
        jobName: 'settle',
        shardingItem: 1,
        shardingTotalCount: 2,
        shardingParameter: '上海',
        taskId: 'r1',
      },
    });
    expect(environment).toMatchObject({
      ORRERY_SHARD: '1',
      ORRERY_SHARD_TOKEN: '7',
      ORRERY_SHARD_PARAMETER: '上海',
    });
    end = 3;
    await expect(handler(context)).rejects.toThrow('exited with 3');
    end = 'SIGKILL';
    await expect(handler(context)).rejects.toThrow('was ended by SIGKILL');
  });
});

describe('an HTTP job', () => {
  const http = { url: 'http://127.0.0.1/settle', body: 'x' };

  it('sends its context in a header, and fails from status 400 on', async () => {
    let status = 200;
    const sent: RequestInit[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      sent.push(init);
      return new Response('no account', { status });
    };
    const { handler } = defineJob('billing', { ...base, http }, ports({ fetch }));
    await handler(context);
    expect(sent[0]).toMatchObject({ method: 'POST', body: 'x' });
    const { shardingContext } = sent[0].headers as Record<string, string>;
    expect(JSON.parse(shardingContext)).toMatchObject({ shardingItem: 1, shardingParameter: '上海' });
    status = 404;
    await expect(handler(context)).rejects.toThrow('POST http://127.0.0.1/settle: status 404 no account');
  });

  it('fails when no answer comes in time', async () => {
    const clock = new VirtualClock(0);
    const fetch = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    const { handler } = defineJob(
      'billing',
      { ...base, http: { ...http, timeout: 500 } },
      ports({ fetch, clock }),
    );
    const work = handler(context);
    clock.advance(501);
    await expect(work).rejects.toThrow('no answer within 500 ms');
  });
});

it('needs exactly one handler that makes sense', () => {
  const define = (more: object) => () => defineJob('billing', { ...base, ...more } as never, ports({}));
  expect(define({})).toThrow('exactly one of run, dataflow, script and http');
  expect(define({ script: 'a', run: () => {} })).toThrow('exactly one of');
  expect(define({ script: ' ' })).toThrow('script is empty');
  expect(define({ http: { url: 'ftp://x' } })).toThrow('an http or https address is needed');
  expect(define({ http: { url: 'http://x', method: 'GET', body: 'x' } })).toThrow('has no body');
  expect(define({ run: () => {}, shards: 2, shardParameters: '2=x' })).toThrow('job settle');
  expect(define({ run: () => {}, retries: -1 })).toThrow('retries');
});
