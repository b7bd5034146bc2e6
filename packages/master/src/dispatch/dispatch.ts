/**
 * Workers connected to this master. Each has one session with at most one open take. A take is answered from
 * the queue as soon as it has something for it. Reports are committed by the run's owner and acknowledged
 * after the commit.
 */
import {
  type AbandonedHandle,
  type BeatAnswer,
  isBadEntry,
  type OutcomeRow,
  type Peer,
  StoreAway,
  type TakeAnswer,
} from '@orrery/store';
import { type Caller, ownProcess } from '@orrery/wire/caller';
import type { Channel } from '@orrery/wire/channel';
import {
  type Assignment,
  type AttemptId,
  attemptText,
  HANDLE_LIMIT,
  type MasterFrame,
  type Report,
  type WorkerFrame,
} from '@orrery/wire/frames';
import type { Context } from '../ports.ts';
import type { Runs } from '../runs/runs.ts';
import { joinRefusal, keyHash, provesSession } from './admission.ts';
import { completed, isIncomplete, keptOf, type Sending, sendingOf, unlessBound } from './sending.ts';
import { type Loan, newSession, type Session, type Sessions } from './sessions.ts';
import type { AskedTake } from './take-slot.ts';

export class Dispatch {
  private readonly context: Context;
  private readonly runs: Runs;
  private readonly forgetWorker: (worker: string) => void;
  private readonly told: () => void;
  private readonly sessions: Sessions;
  /** Attempts given to workers of this master: a kill reaches them without waiting for a beat. */
  private readonly given = new Map<string, Session>();
  /** Addresses of all masters. */
  private masters: readonly string[];

  /** `forgetWorker` excuses a worker's silence until now; `told` is called when inboxes have new rows. */
  constructor(
    context: Context,
    sessions: Sessions,
    runs: Runs,
    forgetWorker: (worker: string) => void,
    told: () => void,
  ) {
    this.context = context;
    this.sessions = sessions;
    this.runs = runs;
    this.forgetWorker = forgetWorker;
    this.told = told;
    this.masters = [context.config.address];
  }

  /** Accepts a worker's connection. The server has already authenticated its `caller`. */
  accept(channel: Channel<MasterFrame, WorkerFrame>, caller: Caller = ownProcess): void {
    const session = newSession(channel, caller);
    channel.onFrame((frame) => {
      this.onFrame(session, frame).catch((error) => this.onError(session, error));
    });
    channel.onClose(() => {
      session.closed = true;
      session.take.close();
      this.forget(session);
    });
  }

  /** The queue may have new attempts: tries the open takes again. */
  wake(): void {
    for (const session of this.sessions) this.serve(session);
  }

  /**
   * The safety net, run with each beat. Retries takes where the queue has attempts, where the last try
   * failed, and where the store answered a take but the worker never received the answer.
   */
  lookAgain({ ready, workers }: BeatAnswer): void {
    const answered = new Map(workers.map(({ id, epoch, take }) => [`${id} ${epoch}`, take]));
    for (const session of this.sessions) {
      const { worker, epoch, take } = session;
      if (!take.open) continue;
      const unheard = (answered.get(`${worker} ${epoch}`) ?? 0) >= take.open.number;
      if (ready || take.isUntried || unheard) this.serve(session);
    }
  }

  /** No commit is in flight or due: serves the takes that waited for a commit to answer them. */
  serveUntried(): void {
    for (const session of this.sessions) if (session.take.isUntried) this.serve(session);
  }

  /** A commit is over: passes its answers on. If it gave none, the takes are tried again. */
  answered(loans: readonly Loan[], given: readonly TakeAnswer[] | undefined): void {
    loans.forEach(({ take: { number }, session }, k) => {
      if (session.closed) return;
      if (given) this.give(session, number, given[k]);
      else session.take.defer();
      if (session.take.finish()) this.serve(session);
    });
  }

  /**
   * Kills attempts that this master gave out. Returns the rest: their workers learn of the kill with a beat.
   */
  kill(attempts: readonly AttemptId[]): AttemptId[] {
    return attempts.filter((attempt) => {
      const session = this.given.get(attemptText(attempt));
      session?.channel.send({ type: 'kill', attempts: [attempt] });
      return !session;
    });
  }

  /** Learns the current nodes, and sends workers the addresses of the masters among them. */
  learnMasters(peers: readonly Peer[]): void {
    const others = peers.filter(({ roles }) => roles.split(',').includes('master'));
    const masters = [this.context.config.address, ...others.map(({ address }) => address)];
    if (masters.join() === this.masters.join()) return;
    this.masters = masters;
    for (const { channel } of this.sessions) channel.send({ type: 'masters', masters });
  }

  /** Closes all sessions. */
  stop(reason: string): void {
    for (const { channel } of [...this.sessions]) channel.close(reason);
  }

  private async onFrame(session: Session, frame: WorkerFrame): Promise<void> {
    if (frame.type !== 'hello') {
      if (session.joined) await session.joined;
      if (session.epoch === 0) return;
    }
    switch (frame.type) {
      case 'hello':
        if (session.joined) {
          session.channel.close('it said hello twice');
          return;
        }
        session.worker = frame.worker;
        session.joined = this.orAway(session, this.join(session, frame));
        await session.joined.catch((error) => {
          session.channel.close('it could not join');
          throw error;
        });
        break;
      case 'take':
        if (frame.epoch !== session.epoch) return;
        session.take.ask({ number: frame.number, room: frame.room, waiting: frame.waiting });
        // A take often comes with reports: the commit that frees their slots also answers the take, which
        // costs less.
        if (frame.room > 0 && !this.runs.isCommitting) this.serve(session);
        break;
      case 'begun':
        if (frame.epoch === session.epoch)
          this.runs.begun(
            frame.attempts.filter((attempt) => this.gave(session, attempt)),
            session.worker,
          );
        break;
      case 'report':
        await this.report(session, frame.epoch, frame.reports);
        break;
      case 'handle':
        if (frame.epoch === session.epoch) await this.keepHandle(session, frame);
        break;
      case 'beat':
        await this.orAway(session, this.beat(session, frame));
        break;
      case 'leave':
        if (frame.epoch === session.epoch) await this.leave(session);
        break;
    }
  }

  private async join(session: Session, hello: Extract<WorkerFrame, { type: 'hello' }>): Promise<void> {
    const { store, self, config, clock } = this.context;
    const { worker, address, slots, groups, resume, taskTypes, cores, memory, key } = hello;
    const refusal = joinRefusal(hello, session.caller, config.openJoin);
    if (refusal !== undefined) return this.turnAway(session, refusal);
    const known =
      resume &&
      (await store.listWorkers()).find(
        ({ id, epoch, lost }) => id === worker && epoch === resume.epoch && lost === 0,
      );
    if (known && !provesSession(known.keyHash, key))
      return this.turnAway(session, `worker ${worker} has not shown the key of the session that it resumes`);
    if (resume && !known) {
      // An ended life must not drive out the current holder of the name.
      await this.refuse(session.channel, worker, resume.epoch);
      return;
    }
    const now = clock.now();
    const { epoch, restores } = known
      ? { epoch: known.epoch, restores: undefined }
      : await store.joinWorker({
          ...{ self, worker, address, slots, groups, taskTypes, cores, memory, now },
          keyHash: keyHash(key),
          invited: session.caller.invited !== undefined,
        });
    if (epoch === 0)
      return this.turnAway(
        session,
        `another process is worker ${worker}; give each worker a name of its own`,
      );
    await this.replace(worker, epoch);
    // The connection was lost during the join: it must not replace the next one.
    if (session.closed) return;
    Object.assign(session, { epoch, groups });
    this.sessions.add(session);
    session.channel.send({
      type: 'welcome',
      epoch,
      lease: config.lease,
      take: known?.take ?? 0,
      masters: this.masters,
      restores,
    });
    this.told();
  }

  /** Refuses a worker for good, before any of its frames takes effect. */
  private turnAway({ channel, worker }: Session, reason: string): void {
    this.context.log('warn', `worker ${worker} was refused: ${reason}`);
    channel.send({ type: 'refused', reason, rejoin: false });
    channel.close('it was refused');
  }

  /** Whether an attempt was given to the worker of this session, on this connection. */
  private gave(session: Session, attempt: AttemptId): boolean {
    return this.given.get(attemptText(attempt)) === session;
  }

  /** A worker has one connection. An older connection is from an earlier life, or broken. */
  private async replace(worker: string, epoch: number): Promise<void> {
    for (const older of [...this.sessions]) {
      if (older.worker !== worker) continue;
      if (older.epoch === epoch) older.channel.close('it has connected again');
      else await this.refuse(older.channel, worker, older.epoch);
    }
  }

  private async leave({ channel, worker, epoch }: Session): Promise<void> {
    const { store, self, clock } = this.context;
    await store.leaveWorker({ self, worker, epoch, now: clock.now() });
    channel.close('it has left');
    this.told();
  }

  /** Tries the take. If a commit or another try has it, it is tried again after that. */
  private serve(session: Session): void {
    const { take } = session;
    if (!take.open) return;
    const refusal = this.context.gate.refusal('dispatch');
    if (refusal !== undefined) {
      take.defer();
      this.refuseTake(session, take.open.number, refusal);
      return;
    }
    const asked = take.try();
    if (!asked) return;
    this.ask(session, asked)
      .catch((error) => {
        take.defer();
        this.onError(session, error);
      })
      .finally(() => {
        if (take.finish()) this.serve(session);
      });
  }

  /**
   * Answers a take with "nothing", at most once between two beats of the worker: another master may have
   * attempts.
   */
  private refuseTake(session: Session, take: number, reason: string): void {
    if (session.refusedTake === take) return;
    session.refusedTake = take;
    session.channel.send({ type: 'nothing', take, reason });
  }

  private async ask(session: Session, asked: AskedTake): Promise<void> {
    const { store, self, clock } = this.context;
    const { worker, epoch, groups } = session;
    const answer = await store.take({ self, worker, epoch, ...asked, groups, now: clock.now() });
    this.give(session, asked.number, answer);
  }

  /** Passes on the attempts found for a take, if any. */
  private give(session: Session, number: number, { found, assignments, kept: bound }: TakeAnswer): void {
    const { channel, worker, epoch } = session;
    if (!found) {
      this.refuse(channel, worker, epoch).catch((error) => this.onError(session, error));
      return;
    }
    if (assignments.length === 0) return;
    const { open } = session.take;
    session.take.answer(number);
    const kept = assignments.map((row) => unlessBound(keptOf(row), bound));
    if (!kept.some(isIncomplete)) {
      this.send(session, number, kept.map(sendingOf));
      return;
    }
    completed(this.context, kept, channel.confidential)
      .then((sendings) => this.send(session, number, sendings))
      .catch((error) => {
        // The next try gives the same attempts again.
        if (open) session.take.restore(open);
        this.onError(session, error);
      });
  }

  /** Sends the answer to a take. Attempts that could not be sent have failed. */
  private send(session: Session, take: number, sendings: readonly Sending[]): void {
    // The worker repeats the take on its next connection. Only attempts that a worker holds can be killed
    // there.
    if (session.closed) return;
    const assignments: Assignment[] = [];
    const failed: Report[] = [];
    for (const sending of sendings) {
      if ('refused' in sending) {
        this.given.set(attemptText(sending.attempt), session);
        failed.push(failure(sending.attempt, sending.refused, this.context.clock.now()));
        continue;
      }
      this.given.set(attemptText(sending.assignment.attempt), session);
      assignments.push(sending.assignment);
    }
    session.channel.send({ type: 'give', take, assignments });
    if (failed.length > 0)
      this.report(session, session.epoch, failed).catch((error) => this.onError(session, error));
  }

  private async report(session: Session, epoch: number, reports: readonly Report[]): Promise<void> {
    const { worker } = session;
    const acknowledge = (attempts: readonly AttemptId[]) =>
      session.channel.send({ type: 'acknowledge', attempts });
    const elsewhere: Report[] = [];
    let left = 0;
    const committed: AttemptId[] = [];
    for (const report of reports) {
      // If this session was not given the attempt here, only the store knows whether it is the worker's.
      const isGiven = this.gave(session, report.attempt) && epoch === session.epoch;
      if (isGiven) this.given.delete(attemptText(report.attempt));
      if (!isGiven || !this.runs.owns(report.attempt.run)) {
        elsewhere.push(report);
        continue;
      }
      left++;
      const { run, ...attempt } = report.attempt;
      const event = {
        now: this.context.clock.now(),
        type: 'outcome',
        attempt,
        outcome: { ...report.outcome, worker },
      } as const;
      this.runs.report(outcomeRow(report, worker, epoch), event, (done) => {
        left--;
        if (done) committed.push(report.attempt);
        else elsewhere.push(report);
        if (left > 0) return;
        if (committed.length > 0) acknowledge(committed);
        if (elsewhere.length > 0)
          this.reportElsewhere(session, epoch, elsewhere).catch((error) => this.onError(session, error));
      });
    }
    if (left === 0 && elsewhere.length > 0) await this.reportElsewhere(session, epoch, elsewhere);
  }

  /** Writes reports to the inboxes of runs that this master does not hold. */
  private async reportElsewhere(session: Session, epoch: number, reports: readonly Report[]): Promise<void> {
    await this.recordReports(session.worker, epoch, reports);
    session.channel.send({ type: 'acknowledge', attempts: reports.map(({ attempt }) => attempt) });
    this.told();
    this.context.tellPeers?.({ inboxes: true });
  }

  /** Records reports. If the store refuses one, its run is set aside and the other reports are recorded. */
  private async recordReports(worker: string, epoch: number, reports: readonly Report[]): Promise<void> {
    const { store, self, clock, log } = this.context;
    try {
      await store.recordElsewhere({
        self,
        reports: reports.map((report) => ({
          ...outcomeRow(report, worker, epoch),
          outcome: { ...report.outcome, worker },
        })),
        now: clock.now(),
      });
    } catch (error) {
      if (!isBadEntry(error)) throw error;
      const [{ attempt }] = reports;
      if (reports.length > 1) {
        const half = Math.ceil(reports.length / 2);
        await this.recordReports(worker, epoch, reports.slice(0, half));
        await this.recordReports(worker, epoch, reports.slice(half));
        return;
      }
      const reason = `what worker ${worker} reported of it cannot be stored: ${error.message}`;
      log('error', `run ${attempt.run}: ${reason}`);
      await store.refuseReport({ self, run: attempt.run, reason, now: clock.now() });
    }
  }

  private async beat(session: Session, frame: Extract<WorkerFrame, { type: 'beat' }>): Promise<void> {
    const { store, self, clock } = this.context;
    const { worker } = session;
    const { epoch, take, held, load, unhealthy } = frame;
    const { welcome, kill, end } = await store.beatWorker({
      self,
      worker,
      epoch,
      take,
      held,
      load,
      unhealthy,
      now: clock.now(),
    });
    if (!welcome) {
      await this.refuse(session.channel, worker, epoch);
      return;
    }
    session.refusedTake = undefined;
    session.channel.send({ type: 'beat-committed', beat: frame.beat });
    if (kill.length > 0) session.channel.send({ type: 'kill', attempts: kill });
    if (end.length > 0) await this.endAbandoned(session, end);
  }

  /** Stores the handle of work that an attempt has started elsewhere, so that it outlives its worker. */
  private async keepHandle(
    { worker, epoch, channel }: Session,
    { attempt, body }: Extract<WorkerFrame, { type: 'handle' }>,
  ): Promise<void> {
    const { store, self } = this.context;
    const fits = Buffer.byteLength(body) <= HANDLE_LIMIT;
    const { kept } = fits
      ? await store.keepHandle({ self, worker, epoch, attempt, handle: body })
      : { kept: false };
    channel.send({ type: 'handle-kept', attempt, kept });
  }

  /** Asks a worker to end what attempts of lost workers left running elsewhere and no attempt takes over. */
  private async endAbandoned({ channel }: Session, list: readonly AbandonedHandle[]): Promise<void> {
    const kept = list.map((abandoned) => keptOf({ ...abandoned, take: 0 }));
    const sendings = await completed(this.context, kept, channel.confidential);
    for (const [k, sending] of sendings.entries()) {
      const { run, number, handle } = list[k];
      if ('assignment' in sending)
        channel.send({ type: 'end', assignment: { ...sending.assignment, handle } });
      else this.context.log('error', `run ${run}, attempt ${number} left ${handle}: ${sending.refused}`);
    }
  }

  /** Tells a worker that its epoch is over, and whether it may rejoin. */
  private async refuse(
    channel: Channel<MasterFrame, WorkerFrame>,
    worker: string,
    epoch: number,
  ): Promise<void> {
    const now = (await this.context.store.listWorkers()).find(({ id }) => id === worker);
    // Neither an ended later life nor the epochs of a restored database keep a worker out.
    const replaced = now !== undefined && now.lost === 0 && now.epoch > epoch;
    const reason = replaced
      ? `another process has joined as worker ${worker}; give each worker a name of its own`
      : `worker ${worker} was silent for too long and counts as lost`;
    channel.send({ type: 'refused', reason, rejoin: !replaced });
    channel.close('its epoch is over');
  }

  /**
   * Answers "store away" to a worker that joins or renews its lease, when the store turns out to be away or
   * is slow: the worker does not wait long. Each request is answered so at most once, since a lease counts
   * from its request.
   */
  private async orAway(session: Session, answer: Promise<void>): Promise<void> {
    const { clock, config } = this.context;
    let told = false;
    const tell = (): void => {
      if (told) return;
      told = true;
      // The worker may go on without a beat, so its silence until now must not count.
      this.forgetWorker(session.worker);
      session.channel.send({ type: 'store-away' });
    };
    const slow = clock.setTimer(config.lease / 10, tell);
    try {
      await answer;
    } catch (error) {
      if (error instanceof StoreAway) tell();
      throw error;
    } finally {
      slow.cancel();
    }
  }

  private onError(session: Session, error: unknown): void {
    this.context.report(`worker ${session.worker}`, error);
  }

  private forget(session: Session): void {
    this.sessions.delete(session);
    for (const [key, holder] of this.given) if (holder === session) this.given.delete(key);
  }
}

/** A failure report for an attempt that could not be sent. */
function failure(attempt: AttemptId, error: string, now: number): Report {
  return { attempt, outcome: { state: 'failed', error, fatal: true }, startedAt: now, endedAt: now };
}

function outcomeRow(report: Report, worker: string, workerEpoch: number): OutcomeRow {
  const { attempt, outcome, startedAt, endedAt } = report;
  return {
    ...attempt,
    worker,
    workerEpoch,
    state: outcome.state,
    late: false,
    startedAt,
    endedAt,
    exitCode: report.exitCode ?? null,
    cpuTime: report.cpuTime ?? null,
    peakMemory: report.peakMemory ?? null,
    error: outcome.error ?? null,
    logTail: report.logTail ?? null,
  };
}
