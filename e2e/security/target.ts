/** What the red team attacks: a real server with a token, secrets of one project, and tasks run as other users where it may. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeProcess } from '../../packages/cli/src/server/node-process.ts';
import { isRoot, TENANT } from '../../packages/worker/src/testing/tenants.ts';

export const SERVER_TOKEN = 'the-token-of-the-server-under-attack';
export const JOIN_TOKEN = 'the-join-token-of-the-cluster-under-attack';
export const SECRET = 'hush-of-the-victim';

/** An answer as attacks look at it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: attacks read many shapes
  readonly body: any;
}

export class Target {
  readonly folder = mkdtempSync(join(tmpdir(), 'orrery-red-team-'));
  private process: NodeProcess | undefined;
  private url = '';
  /** Where workers join. */
  join = '';

  /** The data folder, closed to others. */
  get data(): string {
    return join(this.folder, 'data');
  }

  async start(): Promise<void> {
    chmodSync(this.folder, 0o711);
    const secrets = join(this.folder, 'secrets');
    mkdirSync(join(secrets, 'victim'), { recursive: true, mode: 0o700 });
    const file = (name: string, text: string) => {
      writeFileSync(join(this.folder, name), text, { mode: 0o600 });
      return join(this.folder, name);
    };
    file('secrets/victim/pw', SECRET);
    file('secrets/victim/hook', 'what-requests-are-signed-with');
    const isolation = isRoot
      ? [
          '--isolation',
          'user',
          '--tenant',
          TENANT,
          '--task-user',
          'nobody',
          '--work',
          join(this.folder, 'work'),
        ]
      : [];
    this.process = await NodeProcess.start(
      ...['--role', 'master,worker,api', '--name', 'one', '--data', this.data, '--secrets', secrets],
      ...['--port', '0', '--listen', '127.0.0.1:0', '--group', 'default,vault'],
      ...['--token-file', file('token', SERVER_TOKEN), '--join-token-file', file('join', JOIN_TOKEN)],
      ...isolation,
    );
    const [, master, api] = /master one at (\S+);.* api at (\S+)/.exec(this.process.printed) ?? [];
    this.join = master;
    this.url = api;
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Everything that it has printed. */
  get printed(): string {
    return this.process?.printed ?? '';
  }

  /** Sends a request; `as` is a token, none for nobody. */
  async ask(
    as: string | undefined,
    request: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const [method, path] = request.split(' ');
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...headers,
      },
      body: text,
    });
    const read = await answer.text();
    return { status: answer.status, text: read, body: read.startsWith('{') ? JSON.parse(read) : undefined };
  }

  /** Signs in as a browser does; the cookie. */
  async session(token: string): Promise<string> {
    const answer = await fetch(`${this.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    });
    return answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  /** Publishes a workflow. */
  publish(as: string, workflow: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.ask(as, 'POST /workflows', workflow);
  }

  /** A token of a role in a project. */
  async token(role: string, project: string): Promise<string> {
    const made = await this.ask(SERVER_TOKEN, 'POST /tokens', {
      name: `${role} of ${project}`,
      role,
      project,
    });
    return made.body.token;
  }

  /** Starts a run and waits for its end; its state and the log of its first task. */
  async run(as: string, workflow: string, params: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const started = await this.ask(as, 'POST /runs', { workflow, params });
    if (started.status !== 202) return { state: `refused: ${started.text}`, log: '' };
    const { id } = started.body;
    for (;;) {
      const { body } = await this.ask(as, `GET /runs/${id}`);
      if (['success', 'failed', 'stopped', 'broken'].includes(body.state)) {
        const log = await this.ask(as, `GET /attempts/${id}.t.1/log`);
        return { state: body.state, log: log.body?.text ?? log.text };
      }
      await sleep(50);
    }
  }
}

interface Outcome {
  readonly state: string;
  readonly log: string;
}
