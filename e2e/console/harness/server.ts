/** A real `orrery dev` with its console, in a process of its own, that a test can kill and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { type SeedName, seed } from '@orrery/testkit/seed/seed';
import { ownPort } from '../../../scripts/own-port.ts';

const binary = join(import.meta.dirname, '..', '..', '..', 'packages', 'cli', 'bin', 'orrery.mjs');

/** The file of a workflow with one task, `greet`, that says hi. */
export function greets(name: string): string {
  return `name: ${name}\ntasks: [{ name: greet, type: shell, with: { script: echo hi } }]`;
}

/** A server on a folder of its own. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'orrery-console-'));
  url = '';
  private child: ChildProcess | undefined;

  /** Starts one and waits until it is ready. */
  static async start(...args: string[]): Promise<Server> {
    const server = new Server();
    await server.run(String(await ownPort()), ...args);
    return server;
  }

  /** Starts one that goes on from a seeded folder. */
  static async startSeeded(name: SeedName, ...args: string[]): Promise<Server> {
    const server = new Server();
    await seed(name, join(server.folder, 'data'), Date.now());
    await server.run(String(await ownPort()), ...args);
    return server;
  }

  /** Starts it again, at the same address. */
  async again(...args: string[]): Promise<void> {
    await this.run(new URL(this.url).port, ...args);
  }

  private async run(port: string, ...args: string[]): Promise<void> {
    const child = spawn(
      process.execPath,
      [binary, 'dev', '--port', port, '--data', join(this.folder, 'data'), ...args],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.child = child;
    let printed = '';
    this.url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (piece) => {
        printed += piece;
        const ready = /ready at (\S+)/.exec(printed);
        if (ready) resolve(ready[1]);
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
    });
  }

  /** A client of it, for what a test prepares. */
  get client() {
    return createClient({ url: this.url });
  }

  /** Publishes a workflow file. */
  async publish(body: string): Promise<void> {
    await this.client.publishWorkflows({ body });
  }

  /** Publishes the workflow `hello` and waits until a run of it has succeeded; its id. */
  async runHello(): Promise<number> {
    await this.publish(greets('hello'));
    return this.runTo('hello', 'success');
  }

  /** Starts a run and waits until it is in one of these states; its id. */
  async runTo(workflow: string, ...states: string[]): Promise<number> {
    const { id } = await this.client.startRun({ body: { workflow } });
    await this.reaches(id, ...states);
    return id;
  }

  /** Waits until a run is in one of these states. */
  async reaches(id: number, ...states: string[]): Promise<void> {
    while (!states.includes((await this.client.showRun({ id })).state))
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Ends it and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
