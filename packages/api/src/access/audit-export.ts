/**
 * Sends the audit to a syslog receiver as it grows. Of several servers one does it at a time, from where the last one
 * stopped: every entry is sent at least once, and its id tells copies apart.
 */
import { hostname } from 'node:os';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { sendSyslog, syslogMessage } from './syslog.ts';
import type { SyslogTarget } from './syslog-target.ts';

const LOOK_EVERY = 5_000;

/**
 * Entries are numbered before they are committed: entries with smaller numbers may still appear for this
 * long.
 */
const SETTLED_AFTER = 10_000;

/** How long another server leaves it to one that was last heard of. */
const LEASE = 30_000;

const PAGE = 500;

/** The ports of the export. */
interface ExportPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Unique name of this process. */
  readonly by: string;
  readonly target: SyslogTarget;
  /** Called once when the receiver becomes unreachable, and once when it is reachable again. */
  readonly onTrouble: (message: string | undefined) => void;
}

/** Looks for new entries until it is stopped. */
export class AuditExport {
  private readonly ports: ExportPorts;
  private timer: ClockTimer | undefined;
  private working: Promise<void> | undefined;
  private stopped = false;
  private troubled = false;

  constructor(ports: ExportPorts) {
    this.ports = ports;
    this.timer = ports.clock.setTimer(0, () => this.look());
  }

  /** Stops the export. The next server sends the rest. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    await this.working;
  }

  private look(): void {
    this.working = this.pass().then(
      () => this.tell(undefined),
      (error: Error) => this.tell(error.message),
    );
    void this.working.then(() => {
      if (!this.stopped) this.timer = this.ports.clock.setTimer(LOOK_EVERY, () => this.look());
    });
  }

  private async pass(): Promise<void> {
    const { store, clock, by, target } = this.ports;
    const lease = (after?: number) => {
      const now = clock.now();
      return store.leaseAuditExport({ by, after, until: now + LEASE, now });
    };
    let after = await lease();
    while (after !== undefined && !this.stopped) {
      const entries = await store.listAudit({ after, until: clock.now() - SETTLED_AFTER, limit: PAGE });
      if (entries.length === 0) return;
      await sendSyslog(
        target,
        entries.map((entry) => syslogMessage(entry, hostname())),
      );
      after = await lease(entries[entries.length - 1].id);
    }
  }

  private tell(trouble: string | undefined): void {
    if (this.troubled === (trouble !== undefined)) return;
    this.troubled = trouble !== undefined;
    this.ports.onTrouble(trouble);
  }
}
