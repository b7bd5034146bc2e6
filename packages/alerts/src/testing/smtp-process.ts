/** A mail server for tests, as a process: prints its port, then each message it takes, one JSON value a line. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

const server = new SMTPServer({
  allowInsecureAuth: true,
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  logger: false,
  onAuth: ({ username, password }, _, done) =>
    password === 'hush-hush' ? done(null, { user: username }) : done(new Error('wrong password')),
  onRcptTo: ({ address }, _, done) => {
    if (address.startsWith('slow')) return void setTimeout(done, 200);
    if (address.startsWith('busy')) return done(Object.assign(new Error('later'), { responseCode: 451 }));
    return address.startsWith('nobody') ? done(new Error('no such user')) : done();
  },
  onData(stream, { envelope }, done) {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    stream.on('end', () => {
      const to = envelope.rcptTo.map(({ address }) => address);
      say({ to, text });
      // One that is silent never answers.
      if (!to.includes('silent@example.org')) done();
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => say((server.server.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit(0)).resume();
