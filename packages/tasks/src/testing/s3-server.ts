/** A real store of objects over the protocol of S3, versitygw on a folder, for tests. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

const MODULE = 'github.com/versity/versitygw/cmd/versitygw';
const VERSION = 'v1.8.0';
const BIN = join(import.meta.dirname, '../../../../.services/bin');

/** The program; it is built once for this working copy, which takes minutes. */
export function versitygw(): string {
  const program = join(BIN, 'versitygw');
  if (!existsSync(program))
    execFileSync('go', ['install', `${MODULE}@${VERSION}`], { env: { ...process.env, GOBIN: BIN } });
  return program;
}

/** Starts one that ends with the test; buckets are the folders in `folder`, objects the files in them. */
export async function startS3Server(folder: string, bucket: string) {
  const port = await freePort();
  mkdirSync(join(folder, bucket), { recursive: true });
  const keys = { accessKey: 'loader', secretKey: 'hush-hush-key' };
  const server = spawn(versitygw(), ['--port', `127.0.0.1:${port}`, 'posix', folder], {
    env: { ...process.env, ROOT_ACCESS_KEY: keys.accessKey, ROOT_SECRET_KEY: keys.secretKey },
    stdio: 'ignore',
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.once('exit', () => resolve());
        server.kill('SIGKILL');
      }),
  );
  await eventually(
    'the store listens',
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
  );
  return { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket, ...keys };
}
