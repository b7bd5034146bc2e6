import { execFileSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { etcd } from '../../../../scripts/services/etcd.ts';
import { postgres } from '../../../../scripts/services/postgres.ts';
import type { Service } from '../../../../scripts/services/service.ts';
import { openssl } from '../../../../scripts/services/tools.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { openRegistry } from '../open.ts';
import { OwnServer } from './servers.ts';
import { Opened } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-certificates-'));
const [key, certificate, both] = ['key.pem', 'certificate.pem', 'both.pem'].map((name) => join(folder, name));
const opened = new Opened();
beforeAll(() => {
  execFileSync(
    openssl.find() as string,
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(both, `${readFileSync(key)}${readFileSync(certificate)}`);
});
afterEach(() => opened.close());
afterAll(() => rmSync(folder, { recursive: true }));

const SECRET = 's3cret/with:odd@signs';
const encoded = encodeURIComponent(SECRET);

/** Whether something speaks TLS on this port. */
function speaksTls(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Opens with the right credentials over TLS, and tries what has to be refused; no message holds the password. */
async function secured(urlOf: (credentials: string) => string, wrong: string): Promise<void> {
  const tls = { ca: readFileSync(certificate) };
  const registry = opened.add(await openRegistry(urlOf(`ann:${encoded}@`), { tls, sessionTimeout: 20_000 }));
  await registry.create('/secret', 'x');
  expect((await registry.get('/secret'))?.value).toBe('x');
  expect(registry.server).not.toContain(encoded);
  const refused = async (credentials: string, options: Parameters<typeof openRegistry>[1]) => {
    const attempt = async () => {
      const other = opened.add(await openRegistry(urlOf(credentials), { connectTimeout: 3_000, ...options }));
      await other.get('/secret');
    };
    const error: Error = await attempt().then(
      () => new Error('it was let in'),
      (reason) => reason,
    );
    expect(error.message).not.toMatch(/let in$|s3cret/);
    return error.message;
  };
  expect(await refused('ann:nonsense@', { tls })).toMatch(wrong);
  expect(await refused('', { tls })).toBeTruthy();
  // A server whose certificate nobody vouches for.
  expect(await refused(`ann:${encoded}@`, { tls: {} })).toMatch(/self-signed|certificate/i);
}

async function withServer(service: Service, run: (port: number) => Promise<void>): Promise<void> {
  const server = new OwnServer(service);
  try {
    await run(await server.start());
  } finally {
    await opened.close();
    await server.remove();
  }
}

describe('a registry that asks for credentials and speaks TLS', () => {
  it('is let in and refused by PostgreSQL', async () => {
    const owned = join(folder, 'postgres-key.pem');
    const service: Service = {
      ...postgres,
      launch(place) {
        const launch = postgres.launch(place);
        const hba = join(folder, 'pg_hba.conf');
        writeFileSync(
          hba,
          'host all postgres 127.0.0.1/32 trust\nhostssl all ann 127.0.0.1/32 scram-sha-256\n',
        );
        writeFileSync(owned, readFileSync(key), { mode: 0o600 });
        const { uid, gid } = launch.account ?? statSync(owned);
        chownSync(owned, uid, gid);
        chownSync(folder, uid, gid);
        const settings = { hba_file: hba, ssl: 'on', ssl_key_file: owned, ssl_cert_file: certificate };
        const more = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        return { ...launch, args: [...launch.args, ...more] };
      },
    };
    await withServer(service, async (port) => {
      const admin = new pg.Client(postgres.url(port));
      await admin.connect();
      await admin.query(
        `CREATE ROLE ann LOGIN PASSWORD '${SECRET}'; GRANT CREATE ON DATABASE postgres TO ann`,
      );
      await admin.end();
      await secured((who) => `postgres://${who}127.0.0.1:${port}/postgres`, 'password authentication failed');
    });
  });

  it('is let in and refused by etcd', async () => {
    const service: Service = {
      ...etcd,
      launch(place) {
        const launch = etcd.launch(place);
        const args = launch.args.map((arg) =>
          arg.replace(`http://127.0.0.1:${place.port}`, `https://127.0.0.1:${place.port}`),
        );
        return { ...launch, args: [...args, '--cert-file', certificate, '--key-file', key] };
      },
      ready: ({ port }) => speaksTls(port),
    };
    await withServer(service, async (port) => {
      const ask = (path: string, body: unknown) =>
        execFileSync('curl', [
          ...['--silent', '--show-error', '--fail', '--cacert', certificate, '--max-time', '20'],
          ...['--data', JSON.stringify(body), `https://127.0.0.1:${port}/v3/auth/${path}`],
        ]);
      for (const name of ['root', 'ann']) ask('user/add', { name, password: SECRET });
      ask('role/add', { name: 'root' });
      for (const user of ['root', 'ann']) ask('user/grant', { user, role: 'root' });
      ask('enable', {});
      await secured((who) => `etcd://${who}127.0.0.1:${port}/tree`, 'authentication failed');
    });
  });

  it('is let in and refused by ZooKeeper', async () => {
    const service: Service = {
      ...zookeeper,
      launch(place) {
        const launch = zookeeper.launch(place);
        const config = join(place.home, 'zoo.cfg');
        const text = readFileSync(config, 'utf8').replace(/^clientPort/gm, 'secureClientPort');
        const more = [
          'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
          `ssl.keyStore.location=${both}`,
          `ssl.trustStore.location=${certificate}`,
          'ssl.clientAuth=none',
          '',
        ];
        writeFileSync(config, `${text}${more.join('\n')}`);
        // Debian's jar does not name all of Netty, which only TLS needs.
        const netty = globSync('/usr/share/java/netty-*.jar').join(delimiter);
        const args = launch.args.map((arg, k) =>
          launch.args[k - 1] === '-cp' ? [arg, netty].join(delimiter) : arg,
        );
        return { ...launch, args };
      },
      ready: ({ port }) => speaksTls(port),
    };
    await withServer(service, async (port) => {
      await secured((who) => `zookeeper://${who}127.0.0.1:${port}/tree`, 'the registry refused access');
    });
  });
});
