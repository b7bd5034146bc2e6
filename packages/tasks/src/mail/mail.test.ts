/** `mail` tasks with a real mail server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { describe, expect, it } from 'vitest';
import { startMailServer } from '../testing/mail-server.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

/** One, and connections to it. */
async function mailServer(answers = true) {
  const { settings, ...server } = await startMailServer(answers);
  const connection = (changes: object = {}) => ({
    post: { kind: 'smtp', settings: { ...settings, ...changes } },
  });
  return { ...server, connection };
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
    const failing = async (changes: object, settings: object = {}) => {
      const { outcome, log } = await run({ ...mail(settings), connections: connection(changes) });
      expect(JSON.stringify([outcome, log])).not.toContain('hush-hush');
      return outcome.error;
    };
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
