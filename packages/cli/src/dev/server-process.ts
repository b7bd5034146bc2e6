/** A real `orrery dev` as a child process, for tests: on a port of its own, with a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';

const binary = join(import.meta.dirname, '..', '..', 'bin', 'orrery.mjs');

export class ServerProcess {
  readonly url: string;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
  }

  /** Starts a server and waits until it reports that it is ready. */
  static async start(data: string, ...args: string[]): Promise<ServerProcess> {
    const child = spawn(
      process.execPath,
      [binary, 'dev', '--port', '0', '--data', data, '--no-console', ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        // A server that is killed may leave a temporary file of SQLite.
        env: { ...process.env, SQLITE_TMPDIR: dirname(data) },
      },
    );
    let printed = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (piece) => {
        printed += piece;
        const ready = /ready at (\S+)/.exec(printed);
        if (ready) resolve(ready[1]);
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
    });
    return new ServerProcess(child, url);
  }

  /** Sends a signal and waits for the end; the exit code. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    this.child.kill(signal);
    const [code] = await once(this.child, 'exit');
    return code;
  }

  /** Reads an answer of the API. */
  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`);
    return (await answer.json()) as T;
  }

  /** Sends something to the API. */
  post(path: string, body: string, type = 'application/json'): Promise<Response> {
    return fetch(`${this.url}/api/v1${path}`, { method: 'POST', headers: { 'content-type': type }, body });
  }
}
