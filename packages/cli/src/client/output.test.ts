import { describe, expect, it } from 'vitest';
import { orrery, useServer } from './use-server.ts';

useServer();

describe('nodes', () => {
  it('are listed', async () => {
    const { out } = await orrery('nodes', 'list');
    expect(out).toMatch(/\nlocal-\w+ +master\S* +alive +0\/2000 +- +1 /);
    expect(out).toMatch(/\nlocal-\w+ +worker +alive +\d+\/\d+ +default +1 /);
    const name = /\n(local-\w+) +worker/.exec(out)?.[1] ?? '';
    expect((await orrery('nodes', 'attempts', name)).out).toBe(`${name} runs nothing that you may see\n`);
    expect((await orrery('nodes', 'attempts', 'nobody')).err).toBe('orrery: there is no worker "nobody"\n');
  });
});

describe('the server', () => {
  it('that does not answer is told in one line', async () => {
    const { code, out, err } = await orrery('runs', 'list', '--url', 'http://127.0.0.1:9');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^orrery: no server answers at http:\/\/127\.0\.0\.1:9.*; start one with "(npx )?orrery dev"[^\n]*\n$/,
    );
  });

  it('that wants a token says so', async () => {
    const { code, err } = await orrery('nodes', '--token', 'wrong');
    expect([code, err]).toEqual([
      1,
      'orrery: this server has no such token; give one with --token or ORRERY_TOKEN\n',
    ]);
    expect((await orrery('nodes', '--token', '')).err).toBe(
      'orrery: this server wants a token, sent as "Authorization: Bearer …"; give one with --token or ORRERY_TOKEN\n',
    );
  });

  it('must have an address', async () => {
    expect((await orrery('nodes', '--url', 'localhost')).code).toBe(2);
  });
});

describe('output', () => {
  it('has colours only where they are wanted', async () => {
    expect((await orrery('nodes')).out).not.toContain('\u001b[');
    process.env.FORCE_COLOR = '1';
    expect((await orrery('nodes')).out).toContain('\u001b[32malive');
    delete process.env.FORCE_COLOR;
  });
});
