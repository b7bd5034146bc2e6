import { fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masterCodec, workerCodec } from './codec.ts';
import type { Assignment, AttemptId, MasterFrame, Report, WorkerFrame } from './frames.ts';
import { MasterBatchSchema, WorkerBatchSchema } from './generated/orrery/v1/masters_pb.ts';

const id = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const small = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const name = fc.string({ unit: 'grapheme', maxLength: 20 });
const texts = fc.dictionary(
  name.filter((key) => key !== '__proto__'),
  name,
  { maxKeys: 5 },
);
const absent = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const attempt: fc.Arbitrary<AttemptId> = fc.record({
  run: id,
  task: small,
  shard: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  number: small,
});
const attempts = fc.array(attempt, { maxLength: 4 });

const report: fc.Arbitrary<Report> = fc.record({
  attempt,
  outcome: fc.record({
    state: fc.constantFrom('success', 'failed', 'timed-out', 'killed', 'lost'),
    outputs: absent(texts.filter((values) => Object.keys(values).length > 0)),
    error: absent(name),
    fatal: fc.constantFrom(undefined, true as const),
  }),
  startedAt: id,
  endedAt: id,
  exitCode: absent(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  cpuTime: absent(fc.double({ noNaN: true })),
  peakMemory: absent(fc.double({ noNaN: true })),
  logTail: absent(name),
});

const assignment: fc.Arbitrary<Assignment> = fc.record({
  attempt,
  take: id,
  owner: name,
  project: name,
  workflow: name,
  taskName: name,
  type: name,
  // As JSON has it: fast-check draws -0 too, which JSON does not know.
  with: absent(fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)))),
  params: texts,
  secrets: fc.array(name, { maxLength: 3 }),
  environment: texts,
  shardCount: small,
  shardParameter: name,
  timeout: absent(id),
  onLostContact: fc.constantFrom('kill', 'keep'),
  tenant: fc.option(fc.string(), { nil: undefined }),
});

const workerFrame: fc.Arbitrary<WorkerFrame> = fc.oneof(
  fc.record({
    type: fc.constant('hello' as const),
    worker: name,
    address: name,
    groups: fc.array(name, { maxLength: 3 }),
    slots: small,
    resume: absent(fc.record({ epoch: id, take: id })),
  }),
  fc.record({ type: fc.constant('take' as const), epoch: id, number: id, room: small }),
  fc.record({ type: fc.constant('report' as const), epoch: id, reports: fc.array(report, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('begun' as const), epoch: id, attempts }),
  fc.record({
    type: fc.constant('beat' as const),
    epoch: id,
    beat: id,
    take: id,
    held: attempts,
    load: fc.record(
      { cpu: fc.double({ noNaN: true }), memory: fc.double({ noNaN: true }), running: small, idle: id },
      { requiredKeys: ['cpu', 'memory', 'running'] },
    ),
  }),
  fc.record({ type: fc.constant('handle' as const), epoch: id, attempt, body: fc.string() }),
  fc.record({ type: fc.constant('leave' as const), epoch: id }),
);

const masters = fc.array(name, { minLength: 1, maxLength: 3 });
const masterFrame: fc.Arbitrary<MasterFrame> = fc.oneof(
  fc.record({ type: fc.constant('welcome' as const), epoch: id, lease: id, take: id, masters }),
  fc.record({
    type: fc.constant('welcome' as const),
    epoch: id,
    lease: id,
    take: id,
    masters,
    restores: fc.integer({ min: 1, max: 1_000 }),
  }),
  fc.record({ type: fc.constant('refused' as const), reason: name, rejoin: fc.boolean() }),
  fc.record({
    type: fc.constant('give' as const),
    take: id,
    assignments: fc.array(assignment, { maxLength: 3 }),
  }),
  fc.record({ type: fc.constantFrom('acknowledge' as const, 'kill' as const), attempts }),
  fc.record({ type: fc.constant('beat-committed' as const), beat: id }),
  fc.record({ type: fc.constant('masters' as const), masters }),
  fc.constant({ type: 'store-away' as const }),
  fc.record({ type: fc.constant('nothing' as const), take: fc.nat(), reason: fc.string() }),
  fc.record({ type: fc.constant('handle-kept' as const), attempt, kept: fc.boolean() }),
  fc.record({ type: fc.constant('end' as const), assignment }),
);

describe('frames on the network', () => {
  it('are read as they were written, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(workerFrame), fc.array(masterFrame), (said, answered) => {
        const asked = workerCodec.batch(said.flatMap((frame) => workerCodec.encode(frame)));
        const asRead = fromBinary(WorkerBatchSchema, toBinary(WorkerBatchSchema, asked));
        expect(masterCodec.reader()(asRead)).toEqual(said);
        const answer = masterCodec.batch(
          answered.flatMap((frame) => masterCodec.encode(frame)),
          'bye',
        );
        const asHeard = fromBinary(MasterBatchSchema, toBinary(MasterBatchSchema, answer));
        expect(workerCodec.reader()(asHeard)).toEqual(answered);
        expect(asHeard.closing).toBe('bye');
      }),
      { numRuns: 300 },
    );
  });

  it('of a kind that is not known yet are left out', () => {
    // Field 1 (frames), holding field 99 with the text "new".
    const unknown = Uint8Array.of(0x0a, 0x06, 0x9a, 0x06, 0x03, 0x6e, 0x65, 0x77);
    expect(workerCodec.reader()(fromBinary(MasterBatchSchema, unknown))).toEqual([]);
    expect(masterCodec.reader()(fromBinary(WorkerBatchSchema, unknown))).toEqual([]);
  });
});
