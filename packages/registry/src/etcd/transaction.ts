/**
 * A registry transaction as one etcd transaction: preconditions become comparisons, checked together with the
 * session. If one fails, the same etcd transaction returns the current entries, and `refusal` finds the
 * failed step.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { RegistryError, type RegistryReason } from '../errors.ts';
import {
  type CompareSchema,
  Compare_CompareResult as Is,
  type KeyValue,
  type RequestOpSchema,
  Compare_CompareTarget as Target,
  type TxnRequestSchema,
  type TxnResponse,
} from '../generated/etcd/api_pb.ts';
import { parentOf, sequenceDigits } from '../path.ts';
import type { Entry, Operation } from '../registry.ts';
import type { EtcdKeys } from './keys.ts';

type CompareInit = MessageInitShape<typeof CompareSchema>;
type OpInit = MessageInitShape<typeof RequestOpSchema>;

/** etcd's limit of comparisons and of operations. */
const MOST = 128;

/** The last known sequence number of each parent. It may be stale; the answer corrects it. */
export type Sequences = Map<string, { value: number; modRevision: bigint }>;

/** A precondition and the step it belongs to. */
interface Condition {
  readonly step: number;
  readonly reason: RegistryReason;
  readonly compare: CompareInit;
  /** Whether it holds, given the entry found at the key or in the range. */
  readonly holds: (found: KeyValue | undefined) => boolean;
}

export class EtcdTransaction {
  readonly request: MessageInitShape<typeof TxnRequestSchema>;
  readonly #operations: readonly Operation[];
  readonly #paths: string[] = [];
  readonly #conditions: Condition[] = [];
  readonly #owner: string;
  /** The last number this transaction assigns below each parent. */
  readonly #next = new Map<string, number>();
  /** The revisions at which those numbers were read. */
  readonly #used = new Map<string, bigint>();

  constructor(
    keys: EtcdKeys,
    operations: readonly Operation[],
    session: { readonly id: string; readonly lease: bigint },
    sequences: Sequences,
  ) {
    this.#operations = operations;
    this.#owner = session.id;
    this.#conditions.push({
      step: -1,
      reason: 'session-lost',
      compare: exists(keys.session(session.id)),
      holds: Boolean,
    });
    const success: OpInit[] = [];
    const created = new Map<string, boolean>();
    for (const [step, operation] of operations.entries()) {
      const path = this.#numbered(operation, sequences);
      this.#paths.push(path);
      this.#require(keys, operation, path, step, created);
      if (operation.op === 'create') created.set(path, operation.ephemeral === true);
      success.push(...write(keys, operation, path, session.lease));
    }
    for (const [parent, value] of this.#next)
      success.push(put({ key: keys.sequence(parent), value: Buffer.from(`${value}`) }));
    const compare = [
      ...this.#conditions.map((condition) => condition.compare),
      ...[...this.#next.keys()].map((parent) =>
        equal(Target.MOD, 'modRevision', keys.sequence(parent), this.#used.get(parent) ?? 0n),
      ),
    ];
    const failure = [
      ...this.#conditions.map(({ compare }) => range(compare.key, compare.rangeEnd)),
      ...[...this.#next.keys()].map((parent) => range(keys.sequence(parent))),
    ];
    const size = Math.max(compare.length, success.length);
    if (size > MOST)
      throw new RegistryError('too-large', {
        detail: `${operations.length} steps need ${size} of etcd's ${MOST}`,
      });
    this.request = { compare, success, failure };
  }

  /** The entries written by the steps; stores the next sequence numbers in `sequences`. */
  results({ header, responses }: TxnResponse, sequences: Sequences): (Entry | undefined)[] {
    const modRevision = header?.revision ?? 0n;
    for (const [parent, value] of this.#next) learn(sequences, parent, value, modRevision);
    const revision = Number(modRevision);
    let at = 0;
    return this.#operations.map((operation, step) => {
      const path = this.#paths[step];
      if (operation.op === 'check') return undefined;
      const { response } = responses[at];
      at += operation.op === 'delete' ? 2 : 1;
      if (operation.op === 'delete') return undefined;
      const { value } = operation;
      if (operation.op === 'create') {
        const owner = operation.ephemeral ? this.#owner : undefined;
        return { path, value, version: 0, created: revision, changed: revision, owner };
      }
      const before = response.case === 'responsePut' ? response.value.prevKv : undefined;
      if (!before) throw new Error(`etcd answered a put of ${path} without the value before it`);
      return {
        path,
        value,
        version: Number(before.version),
        created: Number(before.createRevision),
        changed: revision,
        owner: ownerOf(before.lease),
      };
    });
  }

  /**
   * Why the transaction was refused. Undefined if only a sequence number was stale; `sequences` then has the
   * right one.
   */
  refusal({ responses }: TxnResponse, sequences: Sequences): RegistryError | undefined {
    const found = responses.map(({ response }) =>
      response.case === 'responseRange' ? response.value.kvs[0] : undefined,
    );
    let isStale = false;
    for (const [k, parent] of [...this.#next.keys()].entries()) {
      const kv = found[this.#conditions.length + k];
      const modRevision = kv?.modRevision ?? 0n;
      if (modRevision !== this.#used.get(parent)) isStale = true;
      learn(sequences, parent, kv ? Number(Buffer.from(kv.value).toString()) : 0, modRevision);
    }
    // With a stale number the path was wrong, so its existence says nothing.
    const isMoot = ({ step, reason }: Condition) =>
      isStale && reason === 'exists' && isSequential(this.#operations[step]);
    const failed = this.#conditions.find((condition, k) => !isMoot(condition) && !condition.holds(found[k]));
    if (!failed) return undefined;
    const { step, reason } = failed;
    return step < 0
      ? new RegistryError(reason)
      : new RegistryError(reason, { step, path: this.#paths[step] });
  }

  #numbered(operation: Operation, sequences: Sequences): string {
    if (operation.op !== 'create' || !operation.sequential) return operation.path;
    const parent = parentOf(operation.path);
    const number = (this.#next.get(parent) ?? sequences.get(parent)?.value ?? 0) + 1;
    this.#next.set(parent, number);
    this.#used.set(parent, sequences.get(parent)?.modRevision ?? 0n);
    return operation.path + sequenceDigits(number);
  }

  #require(
    keys: EtcdKeys,
    operation: Operation,
    path: string,
    step: number,
    created: ReadonlyMap<string, boolean>,
  ): void {
    const key = keys.entry(path);
    const require = (reason: RegistryReason, compare: CompareInit, holds: Condition['holds']) =>
      this.#conditions.push({ step, reason, compare, holds });
    if (operation.op === 'create') {
      const parent = parentOf(path);
      if (created.get(parent)) throw new RegistryError('below-ephemeral', { step, path });
      if (parent !== '/' && !created.has(parent)) {
        const above = keys.entry(parent);
        // Siblings share the checks of their parent.
        if (!this.#asksOf(above, 'no-parent')) {
          require('no-parent', exists(above), Boolean);
          require('below-ephemeral', equal(Target.LEASE, 'lease', above, 0n), (found) => !found?.lease);
        }
      }
      require('exists', equal(Target.CREATE, 'createRevision', key, 0n), (found) => !found);
      return;
    }
    const { version } = operation;
    if (path !== '/') require('no-entry', exists(key), Boolean);
    if (version !== undefined)
      require('version', equal(Target.VERSION, 'version', key, BigInt(version) + 1n), (found) =>
        found?.version === BigInt(version) + 1n);
    if (operation.op === 'delete') {
      const below = keys.below(path);
      require('not-empty', {
        ...equal(Target.CREATE, 'createRevision', below.key, 0n),
        rangeEnd: below.rangeEnd,
      }, (found) => !found);
    }
  }

  #asksOf(key: Uint8Array, reason: RegistryReason): boolean {
    return this.#conditions.some(
      (condition) =>
        condition.reason === reason && Buffer.compare(condition.compare.key as Uint8Array, key) === 0,
    );
  }
}

/**
 * Concurrent transactions may learn in any order; the newest revision wins. A counter deleted with its parent
 * is 0 again.
 */
function learn(sequences: Sequences, parent: string, value: number, modRevision: bigint): void {
  const known = sequences.get(parent);
  if (!known || modRevision > known.modRevision || modRevision === 0n)
    sequences.set(parent, { value, modRevision });
}

function isSequential(operation: Operation): boolean {
  return operation.op === 'create' && operation.sequential === true;
}

/** The owner of an entry, from its lease. */
export function ownerOf(lease: bigint): string | undefined {
  return lease === 0n ? undefined : lease.toString(16);
}

function write(keys: EtcdKeys, operation: Operation, path: string, lease: bigint): OpInit[] {
  const key = keys.entry(path);
  switch (operation.op) {
    case 'check':
      return [];
    case 'create':
      return [put({ key, value: Buffer.from(operation.value), lease: operation.ephemeral ? lease : 0n })];
    case 'set':
      return [put({ key, value: Buffer.from(operation.value), ignoreLease: true, prevKv: true })];
    case 'delete':
      return [remove(key), remove(keys.sequence(path))];
  }
}

function put(value: {
  key: Uint8Array;
  value: Uint8Array;
  lease?: bigint;
  ignoreLease?: boolean;
  prevKv?: boolean;
}): OpInit {
  return { request: { case: 'requestPut', value } };
}

function remove(key: Uint8Array): OpInit {
  return { request: { case: 'requestDeleteRange', value: { key } } };
}

function range(key?: Uint8Array, rangeEnd?: Uint8Array): OpInit {
  return { request: { case: 'requestRange', value: { key, rangeEnd, limit: 1n } } };
}

function exists(key: Uint8Array): CompareInit {
  return {
    result: Is.GREATER,
    target: Target.CREATE,
    key,
    targetUnion: { case: 'createRevision', value: 0n },
  };
}

function equal(
  target: Target,
  name: 'version' | 'createRevision' | 'modRevision' | 'lease',
  key: Uint8Array,
  value: bigint,
): CompareInit {
  return { result: Is.EQUAL, target, key, targetUnion: { case: name, value } };
}
