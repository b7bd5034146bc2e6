/**
 * Frames that no honest worker sends, for tests: values from the edges of their types, and messages whose bytes were
 * damaged on the way and can still be read.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { AttemptId, Report, WorkerFrame } from '../frames.ts';
import { type WorkerFrame as Message, WorkerFrameSchema } from '../generated/orrery/v1/masters_pb.ts';
import { workerFrame, workerMessage } from '../messages.ts';

/** What the forger knows of the cluster. */
export interface Known {
  readonly workers: readonly string[];
  readonly groups: readonly string[];
  readonly epochs: readonly number[];
  readonly attempts: readonly AttemptId[];
}

/** Whole numbers below a bound. */
type Choose = (below: number) => number;

const texts = [
  '',
  '\0',
  '\u001b[2J',
  '../..',
  '__proto__',
  '${secret.x}',
  "'; DROP TABLE run; --",
  '\ud83d\udca5',
];
const numbers = [0, 1, 2, -1, 2 ** 31 - 1, 2 ** 32, 2 ** 53 - 1];

/** Every kind of frame there is on the wire. */
export const workerFrameKinds: readonly string[] = WorkerFrameSchema.oneofs[0].fields.map(
  ({ localName }) => localName,
);

/** One such frame; undefined where its bytes cannot be read. */
export function fuzzedFrame(choose: Choose, known: Known): WorkerFrame | undefined {
  const frame = forged(choose, known);
  if (choose(3) > 0) return frame;
  try {
    const bytes = toBinary(WorkerFrameSchema, create(WorkerFrameSchema, workerMessage(frame)));
    for (let k = choose(4); k >= 0; k--) bytes[choose(bytes.length)] = choose(256);
    const kept = choose(5) === 0 ? bytes.subarray(0, choose(bytes.length)) : bytes;
    return workerFrame(fromBinary(WorkerFrameSchema, kept) as Message);
  } catch {
    return undefined;
  }
}

function forged(choose: Choose, { workers, groups, epochs, attempts }: Known): WorkerFrame {
  const pick = <T>(list: readonly T[]): T => list[choose(list.length)];
  const text = () => (choose(20) === 0 ? 'x'.repeat(choose(50_000)) : pick(texts));
  const number = () => Math.abs(pick(numbers));
  const epoch = choose(4) === 0 ? number() : pick(epochs);
  const attempt = (): AttemptId =>
    choose(4) > 0
      ? pick(attempts)
      : { run: number(), task: number() % 2 ** 31, shard: choose(4) - 2, number: number() % 2 ** 31 };
  const some = <T>(one: () => T): T[] => Array.from({ length: choose(4) }, one);
  const report = (): Report => ({
    attempt: attempt(),
    outcome: {
      state: pick(['success', 'failed', 'killed'] as const),
      outputs: Object.fromEntries(some(() => [text(), text()])),
      error: text(),
      fatal: choose(2) === 0,
    },
    startedAt: number(),
    endedAt: number(),
    exitCode: pick([0, -1, 2 ** 31 - 1]),
    cpuTime: pick([0, Number.NaN, Number.POSITIVE_INFINITY, -1]),
    peakMemory: number(),
    logTail: text(),
  });
  switch (choose(7)) {
    case 0:
      return {
        type: 'hello',
        worker: choose(3) === 0 ? text() : pick(workers),
        address: text(),
        groups: choose(3) === 0 ? some(text) : [pick(groups)],
        slots: number() % 2 ** 31,
        taskTypes: pick([undefined, 'null', '{', '[{"name":1}]', text()]),
        cores: pick([undefined, Number.NaN, -1, 1e300]),
        memory: pick([undefined, number()]),
        key: pick([undefined, text()]),
        ...(choose(3) === 0 && { resume: { epoch, take: number() } }),
      };
    case 1:
      return { type: 'take', epoch, number: number(), room: number() % 2 ** 31, waiting: number() % 2 ** 31 };
    case 2:
      return { type: 'report', epoch, reports: some(report) };
    case 3:
      return { type: 'begun', epoch, attempts: some(attempt) };
    case 4:
      return {
        type: 'beat',
        epoch,
        ...{ beat: number(), take: number(), held: some(attempt) },
        load: { cpu: pick([0, Number.NaN, -1]), memory: pick([0, Number.POSITIVE_INFINITY]), running: 0 },
        ...(choose(3) === 0 && { unhealthy: text() }),
      };
    case 5:
      return { type: 'handle', epoch, attempt: attempt(), body: text() };
    default:
      return { type: 'leave', epoch };
  }
}
