/**
 * A PostgreSQL that belongs to one test, to be stopped and started again: the one that tests share is used by others.
 * It loses no commit when it is stopped, however it is: only a crash of the machine could.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startService, stopService } from '../../../scripts/services/lifecycle.ts';
import { postgres } from '../../../scripts/services/postgres.ts';
import { readRecords } from '../../../scripts/services/records.ts';
import type { Service } from '../../../scripts/services/service.ts';

/** `fast` ends connections in good order, `immediate` is a crash. */
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

const service: Service = {
  ...postgres,
  // The variable is for the shared server.
  portVariable: '',
  launch(place) {
    const launch = postgres.launch(place);
    return { ...launch, args: [...launch.args, '-c', 'fsync=off'] };
  },
};

export class OwnPostgres {
  private readonly folder = mkdtempSync(join(tmpdir(), 'orrery-own-postgres-'));
  private removed = false;

  /** Starts it, at the same address each time, and answers that address. */
  async start(): Promise<string> {
    if (this.removed) throw new Error('the test that owned this PostgreSQL is over');
    // The server may run under another account.
    chmodSync(this.folder, 0o755);
    return (await startService(service, this.folder, false)).url;
  }

  async stop(how: keyof typeof signals): Promise<void> {
    await stopService({ ...service, stopSignal: signals[how] }, this.folder);
  }

  /** Ends all connections, as an administrator would. */
  async terminateConnections(): Promise<void> {
    const client = new pg.Client(await this.start());
    await client.connect();
    const all = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    await client.query(all).finally(() => client.end());
  }

  /** Freezes the whole server, so that it is as silent as behind a network that drops packets, or lets it go on. */
  freeze(frozen: boolean): void {
    const { [service.name]: record } = readRecords(this.folder);
    if (!record) return;
    const signal = frozen ? 'STOP' : 'CONT';
    // First the parent, so that no children come after those that are found.
    process.kill(record.pid, `SIG${signal}`);
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(record.pid)], {
      encoding: 'utf8',
    }).stdout;
    // One that has just ended is no error.
    spawnSync('kill', ['-s', signal, ...children.trim().split(/\s+/)]);
  }

  /** Stops it and deletes its data. */
  async remove(): Promise<void> {
    this.removed = true;
    this.freeze(false);
    await this.stop('immediate');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
