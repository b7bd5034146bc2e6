/**
 * Batches of frames on the wire. A frame is encoded once, when it is sent: its size is then known, and a
 * frame that is too large is refused before it joins a batch. A list too long for one message is cut into
 * several frames.
 */
import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { InvalidInput } from '@orrery/core/errors';
import { FRAME_LIMIT } from './channel.ts';
import { attemptText, type MasterFrame, type WorkerFrame } from './frames.ts';
import {
  type MasterBatch,
  MasterBatchSchema,
  MasterFrameSchema,
  type WorkerBatch,
  WorkerBatchSchema,
  WorkerFrameSchema,
} from './generated/orrery/v1/masters_pb.ts';
import { type GivePart, masterFrame, masterMessage, workerFrame, workerMessage } from './messages.ts';

/** Encodes one end's frames and decodes the other's. */
export interface Codec<Out, In, OutBatch, InBatch> {
  /** Encodes a frame, as several if its list must be cut. Throws `InvalidInput` if it is still too large. */
  encode(frame: Out): Uint8Array[];
  /** Joins encoded frames into one message; `closing` marks the last message. */
  batch(frames: readonly Uint8Array[], closing?: string): OutBatch;
  /** Makes a reader for one channel, which joins the parts of a cut frame. */
  reader(): (batch: InBatch) => In[];
}

/** The codec of workers. */
export const workerCodec: Codec<WorkerFrame, MasterFrame, WorkerBatch, MasterBatch> = {
  encode: (frame) => encode(WorkerFrameSchema, frame, workerMessage, cutWorkerFrame),
  batch: (frames, closing) => batch(WorkerBatchSchema, frames, closing),
  reader: masterReader,
};

/** The codec of masters. */
export const masterCodec: Codec<MasterFrame, WorkerFrame, MasterBatch, WorkerBatch> = {
  encode: (frame) =>
    encode<GivePart | MasterFrame, typeof MasterFrameSchema>(
      MasterFrameSchema,
      frame,
      masterMessage,
      cutMasterFrame,
    ),
  batch: (frames, closing) => batch(MasterBatchSchema, frames, closing),
  reader: () => (message) => message.frames.map(workerFrame).filter((frame) => frame !== undefined),
};

function encode<Frame extends WorkerFrame | MasterFrame, Schema extends DescMessage>(
  schema: Schema,
  frame: Frame,
  message: (frame: Frame) => MessageInitShape<Schema>,
  cut: (frame: Frame) => Frame[] | undefined,
): Uint8Array[] {
  const bytes = toBinary(schema, create(schema, message(frame)));
  if (bytes.length <= FRAME_LIMIT) return [bytes];
  const parts = cut(frame);
  if (parts) return parts.flatMap((part) => encode(schema, part, message, cut));
  throw new InvalidInput(
    `${nameOf(frame)} takes ${bytes.length} bytes; a message between nodes has at most ${FRAME_LIMIT}`,
  );
}

/** The name of a frame in errors. */
function nameOf(frame: WorkerFrame | MasterFrame): string {
  if (frame.type === 'report') return `the report of attempt ${frame.reports.map(attemptOf)}`;
  if (frame.type === 'give') return `the assignment of attempt ${frame.assignments.map(attemptOf)}`;
  return `a frame "${frame.type}"`;
}

function attemptOf({ attempt }: { attempt: Parameters<typeof attemptText>[0] }): string {
  return attemptText(attempt);
}

function cutWorkerFrame(frame: WorkerFrame): WorkerFrame[] | undefined {
  if (frame.type === 'report') return halves(frame.reports)?.map((reports) => ({ ...frame, reports }));
  if (frame.type === 'begun') return halves(frame.attempts)?.map((attempts) => ({ ...frame, attempts }));
  return undefined;
}

function cutMasterFrame(frame: MasterFrame | GivePart): (MasterFrame | GivePart)[] | undefined {
  if (frame.type === 'acknowledge' || frame.type === 'kill')
    return halves(frame.attempts)?.map((attempts) => ({ ...frame, attempts }));
  if (frame.type !== 'give') return undefined;
  const parts = halves(frame.assignments);
  return parts?.map((assignments, k) =>
    k === 0 ? { ...frame, assignments, more: true } : { ...frame, assignments },
  );
}

function halves<T>(list: readonly T[]): T[][] | undefined {
  const middle = Math.ceil(list.length / 2);
  return list.length < 2 ? undefined : [list.slice(0, middle), list.slice(middle)];
}

/** Builds a batch from encoded values by writing field 1, shared by both batch types, as an unknown field. */
function batch<Schema extends typeof WorkerBatchSchema | typeof MasterBatchSchema>(
  schema: Schema,
  frames: readonly Uint8Array[],
  closing: string | undefined,
): MessageShape<Schema> {
  const message = create(schema as typeof WorkerBatchSchema, { closing });
  message.$unknown = frames.map((bytes) => ({
    no: 1,
    wireType: WireType.LengthDelimited,
    data: new BinaryWriter().bytes(bytes).finish(),
  }));
  return message as MessageShape<Schema>;
}

function masterReader(): (batch: MasterBatch) => MasterFrame[] {
  let parts: GivePart[] = [];
  return ({ frames }) => {
    const read: MasterFrame[] = [];
    for (const message of frames) {
      const frame = masterFrame(message);
      if (frame?.type === 'give' && 'more' in frame) parts.push(frame);
      else if (frame?.type === 'give' && parts.length > 0) {
        const assignments = [...parts, frame].flatMap((part) => part.assignments);
        parts = [];
        read.push({ ...frame, assignments });
      } else if (frame) read.push(frame);
    }
    return read;
  };
}
