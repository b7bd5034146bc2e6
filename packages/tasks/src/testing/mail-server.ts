/** A real mail server for tests. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** Takes mail of user `orrery` with password `hush-hush`; without `answers` it never says that it has a message. */
export async function startMailServer(answers = true) {
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
  const settings = {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: 'orrery',
    password: 'hush-hush',
    from: 'orrery@example.org',
  };
  return { messages, settings, sessions: () => server.connections.size };
}
