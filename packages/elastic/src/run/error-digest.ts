/**
 * Errors of a job as messages to people, few enough to be read:
 *
 *   quiet -> collecting (1 s) -> sending (at most three tries) -> resting (`every`) -> sending what came meanwhile, or quiet
 *
 * Errors are counted, and the first ones of a message are kept: a thousand failed shards are one message.
 */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';

/** Where messages about failed shards go, as a setting of a job. */
export interface ErrorChannel {
  /** The kind of channel: `mail`, `webhook`, `dingtalk`, `wecom`, `slack`, … */
  readonly channel: string;
  /** The settings of that kind; the same as those of an alert channel. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Least time between two messages, in milliseconds; a minute by default. */
  readonly every?: number;
}

/** What a message is about. */
export interface JobTrouble {
  /** The same over all tries of one message. */
  readonly id: string;
  readonly namespace: string;
  readonly job: string;
  readonly server: string;
  /** When the first error came. */
  readonly since: number;
  /** How many errors there were. */
  readonly count: number;
  /** The first of them. */
  readonly errors: readonly string[];
}

/** What became of a message; `again`: another try may succeed. */
export type TroubleAnswer =
  | { readonly sent: true }
  | { readonly sent: false; readonly again: boolean; readonly why: string };

/** Sends a message. Settles within seconds, whatever the receiver does. */
export type SendTrouble = (trouble: JobTrouble) => Promise<TroubleAnswer>;

export interface ErrorDigestPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly id: () => string;
  readonly send: SendTrouble;
}

const COLLECT = 1_000;
const EVERY = 60_000;
/** Waits before the second and the third try. */
const BACK_OFF = [5_000, 30_000];
/** Errors that a message shows. */
const SHOWN = 5;
/** How long a stop waits for the last message. */
const PATIENCE = 5_000;

export class ErrorDigest {
  private readonly about: Pick<JobTrouble, 'namespace' | 'job' | 'server'>;
  private readonly every: number;
  private readonly ports: ErrorDigestPorts;
  private found: { readonly since: number; count: number; readonly errors: string[] } | undefined;
  private working: Promise<void> | undefined;
  private stopping = false;
  private wake: () => void = () => {};

  constructor(
    about: Pick<JobTrouble, 'namespace' | 'job' | 'server'>,
    every: number | undefined,
    ports: ErrorDigestPorts,
  ) {
    this.about = about;
    this.every = every ?? EVERY;
    this.ports = ports;
  }

  add(error: string): void {
    this.found ??= { since: this.ports.clock.now(), count: 0, errors: [] };
    this.found.count++;
    if (this.found.errors.length < SHOWN) this.found.errors.push(error);
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  /** Sends the rest with one try, and waits a few seconds for the answer. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    if (!this.working) return;
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.ports.clock.setTimer(PATIENCE, resolve);
    });
    await Promise.race([this.working, late]);
    timer?.cancel();
  }

  private async work(): Promise<void> {
    await this.pause(COLLECT);
    while (this.found) {
      const { found } = this;
      this.found = undefined;
      await this.deliver({ ...this.about, ...found, id: this.ports.id() });
      await this.pause(this.every);
    }
  }

  private async deliver(trouble: JobTrouble): Promise<void> {
    const { send, log } = this.ports;
    for (let tries = 0; ; tries++) {
      const answer = await send(trouble).catch(
        (error: Error): TroubleAnswer => ({ sent: false, again: true, why: error.message }),
      );
      if (answer.sent) return;
      const wait = BACK_OFF[tries];
      if (!answer.again || wait === undefined || this.stopping) {
        const what = trouble.count === 1 ? 'an error' : `${trouble.count} errors`;
        log('error', `job ${trouble.job}: the message about ${what} was not delivered: ${answer.why}`);
        return;
      }
      await this.pause(wait);
    }
  }

  /** Ends early when the job stops. */
  private pause(delay: number): Promise<void> {
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.ports.clock.setTimer(delay, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
