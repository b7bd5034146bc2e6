/** Multi: several operations that ZooKeeper applies together or not at all. */
import type { JuteReader, JuteWriter } from './jute.ts';
import {
  type Acl,
  type CreateMode,
  codeOf,
  createFlags,
  OPEN_ACL,
  opcodes,
  readStat,
  type Stat,
  writeAcls,
  ZooKeeperError,
} from './records.ts';

/** One operation of a multi. An omitted version is not compared. */
export type MultiOperation =
  | { readonly op: 'check'; readonly path: string; readonly version?: number }
  | {
      readonly op: 'create';
      readonly path: string;
      readonly data: Uint8Array;
      readonly mode?: CreateMode;
      readonly acl?: readonly Acl[];
    }
  | { readonly op: 'set'; readonly path: string; readonly data: Uint8Array; readonly version?: number }
  | { readonly op: 'delete'; readonly path: string; readonly version?: number };

/** Result of an operation. */
export interface MultiResult {
  /** Transaction id: `czxid` of a created node, `mzxid` of a changed one. */
  readonly zxid: bigint;
  /** Path of a created node, with its sequence number. */
  readonly path?: string;
  /** Present after a set and after creating a container; ZooKeeper returns no other stat here. */
  readonly stat?: Stat;
}

export function writeCreate(
  writer: JuteWriter,
  create: { path: string; data: Uint8Array; mode?: CreateMode; acl?: readonly Acl[] },
): void {
  writer.text(create.path).bytes(create.data);
  writeAcls(writer, create.acl ?? OPEN_ACL);
  writer.int(createFlags[create.mode ?? 'persistent']);
}

/** The opcode that creates a node and returns its stat. */
export function createOpcode(mode: CreateMode | undefined): number {
  return mode === 'container' ? opcodes.createContainer : opcodes.create2;
}

export function writeMulti(writer: JuteWriter, operations: readonly MultiOperation[]): void {
  const header = (type: number) => writer.int(type).bool(false).int(-1);
  for (const operation of operations) {
    switch (operation.op) {
      case 'check':
        header(opcodes.check);
        writer.text(operation.path).int(operation.version ?? -1);
        break;
      case 'create':
        header(createOpcode(operation.mode));
        writeCreate(writer, operation);
        break;
      case 'set':
        header(opcodes.setData);
        writer
          .text(operation.path)
          .bytes(operation.data)
          .int(operation.version ?? -1);
        break;
      case 'delete':
        header(opcodes.delete);
        writer.text(operation.path).int(operation.version ?? -1);
        break;
    }
  }
  writer.int(-1).bool(true).int(-1);
}

/**
 * The results in order. Throws the failed operation's error; the errors around it only say that they were
 * undone.
 */
export function readMulti(
  reader: JuteReader,
  zxid: bigint,
  operations: readonly MultiOperation[],
): MultiResult[] {
  const results: MultiResult[] = [];
  const errors: number[] = [];
  for (;;) {
    const type = reader.int();
    if (reader.bool()) break;
    reader.int();
    if (type === -1) errors.push(reader.int());
    else results.push({ zxid, ...readResult(reader, type) });
  }
  const step = errors.findIndex((error) => error !== 0 && error !== RUNTIME_INCONSISTENCY);
  const code = codeOf(errors[step] ?? errors[0] ?? 0);
  if (code) throw new ZooKeeperError(code, operations[step]?.path, { step: step < 0 ? undefined : step });
  return results;
}

/** The error of operations undone because another one failed. */
const RUNTIME_INCONSISTENCY = -2;

function readResult(reader: JuteReader, type: number): Omit<MultiResult, 'zxid'> {
  switch (type) {
    case opcodes.create:
      return { path: reader.text() };
    case opcodes.create2:
    case opcodes.createContainer:
      return { path: reader.text(), stat: readStat(reader) };
    case opcodes.setData:
      return { stat: readStat(reader) };
    default:
      return {};
  }
}
