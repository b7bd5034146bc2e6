/** `mail` tasks with a real mail server. */
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';

/** A server that takes mail of user `orrery` with password `hush-hush`. */
async function mailServer(answers = true) {
  const messages: string[] = [];
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _, done) =>
      password === 'hush-hush' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _, done) =>
      address.startsWith('nobody') ? done(new Error('no such user')) : done(),
    onData(stream, _, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        messages.push(text);
        if (answers) done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const connection = (changes: object = {}) => ({
    post: {
      kind: 'smtp',
      settings: {
        host: '127.0.0.1',
        port,
        security: 'none',
        user: 'orrery',
        password: 'hush-hush',
        from: 'orrery@example.org',
        ...changes,
      },
    },
  });
  return { messages, connection, sessions: () => server.connections.size };
}

const mail = (changes: object = {}) => ({
  type: 'mail',
  with: {
    connection: 'post',
    to: 'a@example.org, b@example.org',
    subject: 'Totals',
    text: 'All is well.',
    ...changes,
  },
  secrets: ['hush-hush'],
});

describe('a mail task', () => {
  it('sends text, HTML and files', async () => {
    const { messages, connection } = await mailServer();
    const { run, codeFolder } = await startTaskWorker();
    writeFileSync(join(codeFolder, 'totals.csv'), 'day,total\n');
    const more = {
      html: '<b>well</b>',
      attachments: ['totals.csv'],
      subject: 'Totals\r\nBcc: evil@example.org',
    };
    const { outcome, log } = await run({ ...mail(more), connections: connection() });
    expect(outcome).toMatchObject({ state: 'success', outputs: { messageId: expect.any(String) } });
    expect(log).toContain('accepted for a@example.org, b@example.org');
    expect(messages[0]).toContain('filename=totals.csv');
    expect(messages[0]).toContain('<b>well</b>');
    expect(messages[0]).not.toMatch(/^Bcc:/m);
    expect(
      (await run({ type: 'connection-test', with: { connection: 'post' }, connections: connection() }))
        .outcome,
    ).toMatchObject({
      state: 'success',
      outputs: { server: 'the mail server 127.0.0.1' },
    });
  });

  it('says what is wrong: password, server, address, file, encryption', async () => {
    const { connection, messages } = await mailServer();
    const { run } = await startTaskWorker();
    const failing = async (changes: object, settings: object = {}) =>
      (await run({ ...mail(settings), connections: connection(changes) })).outcome.error;
    expect(await failing({ password: 'wrong' })).toMatch(/^127\.0\.0\.1: .*wrong password/);
    expect(await failing({ port: 1 })).toMatch(/ECONNREFUSED/);
    expect(await failing({ security: 'starttls' })).toMatch(/STARTTLS/i);
    expect(await failing({}, { to: 'nobody@example.org' })).toMatch(/no such user/);
    expect(await failing({}, { attachments: ['none.csv'] })).toMatch(/none\.csv does not exist$/);
    expect(await failing({}, { text: undefined })).toBe('with: give text or html');
    expect(messages).toEqual([]);
  });

  it('ends when it is killed in the middle', async () => {
    const { connection, messages, sessions } = await mailServer(false);
    const { master, worker } = await startTaskWorker();
    const { assignment } = await import('@orrery/worker/testing/scripted-master');
    const { eventually } = await import('@orrery/worker/testing/eventually');
    const given = assignment({ ...mail(), connections: connection() });
    master.give(given);
    await eventually('the server has it', () => messages.length === 1);
    master.kill(given.attempt);
    const report = await eventually('reported', () => master.reportOf(given.attempt));
    expect(report.outcome.state).toBe('killed');
    // It let go of the server instead of waiting for its answer.
    await eventually('the session is over', () => sessions() === 0);
    expect(worker.status().held).toEqual([]);
  });
});
