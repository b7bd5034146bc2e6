/** Converts frames to protobuf messages and back: the only module that knows both. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Outcome } from '@orrery/core/run';
import type { Assignment, AttemptId, MasterFrame, Report, WorkerFrame } from './frames.ts';
import type { AttemptId as AttemptMessage } from './generated/orrery/v1/attempt_pb.ts';
import type {
  Assignment as AssignmentMessage,
  AssignmentSchema,
  MasterFrameSchema,
  MasterFrame as MasterMessage,
  Report as ReportMessage,
  ReportSchema,
  WorkerFrameSchema,
  WorkerFrame as WorkerMessage,
} from './generated/orrery/v1/masters_pb.ts';

/** A part of a give that continues in the next frame; a whole give has no `more`. */
export type GivePart = Extract<MasterFrame, { type: 'give' }> & { readonly more?: boolean };

/** Converts a worker's frame to its message. */
export function workerMessage(frame: WorkerFrame): MessageInitShape<typeof WorkerFrameSchema> {
  switch (frame.type) {
    case 'hello': {
      const { worker, address, groups, slots, resume, taskTypes = '', cores, key } = frame;
      const going = resume && { epoch: BigInt(resume.epoch), take: BigInt(resume.take) };
      const memory = frame.memory === undefined ? undefined : BigInt(frame.memory);
      const value = {
        worker,
        address,
        groups: [...groups],
        slots,
        resume: going,
        taskTypes,
        cores,
        memory,
        key,
      };
      return { frame: { case: 'hello', value } };
    }
    case 'take': {
      const { epoch, number, room, waiting } = frame;
      return {
        frame: { case: 'take', value: { epoch: BigInt(epoch), number: BigInt(number), room, waiting } },
      };
    }
    case 'report': {
      const { epoch, reports } = frame;
      return {
        frame: { case: 'reports', value: { epoch: BigInt(epoch), reports: reports.map(reportMessage) } },
      };
    }
    case 'begun': {
      const { epoch, attempts } = frame;
      return {
        frame: { case: 'begun', value: { epoch: BigInt(epoch), attempts: attempts.map(attemptMessage) } },
      };
    }
    case 'beat': {
      const { unhealthy } = frame;
      const { idle, ...shares } = frame.load;
      const load = { ...shares, ...(idle !== undefined && { idle: BigInt(idle) }) };
      const [epoch, beat, take] = [frame.epoch, frame.beat, frame.take].map(BigInt);
      const held = frame.held.map(attemptMessage);
      return { frame: { case: 'beat', value: { epoch, beat, take, held, load, unhealthy } } };
    }
    case 'handle': {
      const { epoch, attempt, body } = frame;
      return {
        frame: { case: 'handle', value: { epoch: BigInt(epoch), attempt: attemptMessage(attempt), body } },
      };
    }
    case 'leave':
      return { frame: { case: 'leave', value: { epoch: BigInt(frame.epoch) } } };
  }
}

/** Converts a worker's message to its frame; undefined for a frame of a newer version. */
export function workerFrame({ frame: { case: type, value } }: WorkerMessage): WorkerFrame | undefined {
  switch (type) {
    case 'hello': {
      const { worker, address, groups, slots, resume, taskTypes, cores, key } = value;
      const going = resume && { epoch: Number(resume.epoch), take: Number(resume.take) };
      const memory = value.memory === undefined ? undefined : Number(value.memory);
      return {
        type,
        worker,
        address,
        groups,
        slots,
        resume: going,
        taskTypes: taskTypes || undefined,
        cores,
        memory,
        key,
      };
    }
    case 'take':
      return {
        type,
        epoch: Number(value.epoch),
        number: Number(value.number),
        room: value.room,
        waiting: value.waiting || undefined,
      };
    case 'reports':
      return { type: 'report', epoch: Number(value.epoch), reports: value.reports.map(report) };
    case 'begun':
      return { type, epoch: Number(value.epoch), attempts: value.attempts.map(attemptId) };
    case 'beat': {
      const { cpu = 0, memory = 0, running = 0, disk, idle } = value.load ?? {};
      const [epoch, beat, take] = [value.epoch, value.beat, value.take].map(Number);
      const held = value.held.map(attemptId);
      return {
        type,
        epoch,
        beat,
        take,
        held,
        load: {
          ...{ cpu, memory, running },
          ...(disk !== undefined && { disk }),
          ...(idle !== undefined && { idle: Number(idle) }),
        },
        ...(value.unhealthy !== undefined && { unhealthy: value.unhealthy }),
      };
    }
    case 'handle':
      return { type, epoch: Number(value.epoch), attempt: attemptId(value.attempt), body: value.body };
    case 'leave':
      return { type, epoch: Number(value.epoch) };
    case undefined:
      return undefined;
  }
}

/** Converts a master's frame to its message. */
export function masterMessage(frame: MasterFrame | GivePart): MessageInitShape<typeof MasterFrameSchema> {
  switch (frame.type) {
    case 'welcome': {
      const { epoch, lease, take, restores = 0 } = frame;
      const numbers = {
        epoch: BigInt(epoch),
        lease: BigInt(lease),
        take: BigInt(take),
        restores: BigInt(restores),
      };
      return { frame: { case: 'welcome', value: { ...numbers, masters: [...frame.masters] } } };
    }
    case 'refused': {
      const { reason, rejoin } = frame;
      return { frame: { case: 'refused', value: { reason, rejoin } } };
    }
    case 'give': {
      const { take, assignments } = frame;
      const more = 'more' in frame && frame.more;
      return {
        frame: {
          case: 'give',
          value: { take: BigInt(take), assignments: assignments.map(assignmentMessage), more },
        },
      };
    }
    case 'acknowledge':
    case 'kill':
      return { frame: { case: frame.type, value: { attempts: frame.attempts.map(attemptMessage) } } };
    case 'beat-committed':
      return { frame: { case: 'beatCommitted', value: { beat: BigInt(frame.beat) } } };
    case 'masters':
      return { frame: { case: frame.type, value: { addresses: [...frame.masters] } } };
    case 'store-away':
      return { frame: { case: 'storeAway', value: {} } };
    case 'nothing':
      return { frame: { case: 'nothing', value: { take: BigInt(frame.take), reason: frame.reason } } };
    case 'handle-kept': {
      const { attempt, kept } = frame;
      return { frame: { case: 'handleKept', value: { attempt: attemptMessage(attempt), kept } } };
    }
    case 'end':
      return { frame: { case: 'end', value: { assignment: assignmentMessage(frame.assignment) } } };
  }
}

/** Converts a master's message to its frame; undefined for a frame of a newer version. */
export function masterFrame({
  frame: { case: type, value },
}: MasterMessage): MasterFrame | GivePart | undefined {
  switch (type) {
    case 'welcome': {
      const [epoch, lease, take] = [value.epoch, value.lease, value.take].map(Number);
      const restores = value.restores > 0n ? Number(value.restores) : undefined;
      return { type, epoch, lease, take, masters: value.masters, ...(restores && { restores }) };
    }
    case 'refused':
      return { type, reason: value.reason, rejoin: value.rejoin };
    case 'give': {
      const assignments = value.assignments.map(assignment);
      return { type, take: Number(value.take), assignments, ...(value.more && { more: true }) };
    }
    case 'acknowledge':
    case 'kill':
      return { type, attempts: value.attempts.map(attemptId) };
    case 'beatCommitted':
      return { type: 'beat-committed', beat: Number(value.beat) };
    case 'masters':
      return { type, masters: value.addresses };
    case 'storeAway':
      return { type: 'store-away' };
    case 'nothing':
      return { type, take: Number(value.take), reason: value.reason };
    case 'handleKept':
      return { type: 'handle-kept', attempt: attemptId(value.attempt), kept: value.kept };
    case 'end':
      return value.assignment && { type, assignment: assignment(value.assignment) };
    case undefined:
      return undefined;
  }
}

/** Converts an attempt id to its message. */
export function attemptMessage({ run, task, shard, number }: AttemptId) {
  return { run: BigInt(run), task, shard, number };
}

/** Converts a message to an attempt id. A missing message becomes the id of no existing attempt. */
export function attemptId(message: AttemptMessage | undefined): AttemptId {
  const { run = 0, task = 0, shard = -1, number = 0 } = message ?? {};
  return { run: Number(run), task, shard, number };
}

function reportMessage(report: Report): MessageInitShape<typeof ReportSchema> {
  const { attempt, outcome, startedAt, endedAt, exitCode, cpuTime, peakMemory, logTail } = report;
  const { state, outputs, error, fatal } = outcome;
  return {
    attempt: attemptMessage(attempt),
    state,
    outputs,
    error,
    fatal,
    startedAt: BigInt(startedAt),
    endedAt: BigInt(endedAt),
    exitCode,
    cpuTime,
    peakMemory,
    logTail,
  };
}

function report(message: ReportMessage): Report {
  const { error, exitCode, cpuTime, peakMemory, logTail } = message;
  const outputs = Object.keys(message.outputs).length > 0 ? message.outputs : undefined;
  const state = message.state as Outcome['state'];
  return {
    attempt: attemptId(message.attempt),
    outcome: { state, outputs, error, fatal: message.fatal || undefined },
    startedAt: Number(message.startedAt),
    endedAt: Number(message.endedAt),
    exitCode,
    cpuTime,
    peakMemory,
    logTail,
  };
}

function assignmentMessage(assignment: Assignment): MessageInitShape<typeof AssignmentSchema> {
  const { attempt, take, timeout, taskStarted, with: settings, connections } = assignment;
  return {
    ...assignment,
    attempt: attemptMessage(attempt),
    take: BigInt(take),
    with: settings === undefined ? undefined : JSON.stringify(settings),
    secrets: [...assignment.secrets],
    connections: connections && JSON.stringify(connections),
    timeout: timeout === undefined ? undefined : BigInt(timeout),
    taskStarted: taskStarted === undefined ? undefined : BigInt(taskStarted),
  };
}

function assignment(message: AssignmentMessage): Assignment {
  const { owner, project, workflow, taskName, type, params, secrets, environment } = message;
  const { shardCount, shardParameter, timeout, taskStarted } = message;
  return {
    attempt: attemptId(message.attempt),
    take: Number(message.take),
    owner,
    project,
    workflow,
    taskName,
    type,
    with: message.with === undefined ? undefined : JSON.parse(message.with),
    params,
    secrets,
    environment,
    connections: message.connections === undefined ? undefined : JSON.parse(message.connections),
    shardCount,
    shardParameter,
    timeout: timeout === undefined ? undefined : Number(timeout),
    taskStarted: taskStarted === undefined ? undefined : Number(taskStarted),
    onLostContact: message.onLostContact === 'keep' ? 'keep' : 'kill',
    tenant: message.tenant,
    handle: message.handle,
  };
}
