/** An entry of the contract; the types of inputs and answers follow from its schemas. */
import type { z } from 'zod';
import type { contract } from './index.ts';
import type { AccessAction, Scope } from './roles.ts';

/**
 * One operation. Values in `params`, `query` and `headers` have their natural types, even if they are sent as
 * text; a header is named in camel case (`ifMatch`). A part without a schema must be empty.
 */
export interface Operation {
  /** Method, and path under `/api/v1`; `{name}` is a part read by `params`. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** The right that a caller needs. */
  readonly action: AccessAction;
  /** How it is restricted for a caller with only one project. */
  readonly scope: Scope;
  /** Its action in the audit; required for every operation that changes something. */
  readonly audit?: string;
  /** Why an operation other than GET writes no audit entry. */
  readonly unaudited?: string;
  /** One line: what it does or returns. */
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** JSON, unless `bodyTypes` says otherwise. */
  readonly body?: z.ZodType;
  /** The body is text of one of these content types. */
  readonly bodyTypes?: readonly string[];
  /** Size limit of the body in bytes; 1 MB by default. */
  readonly bodyLimit?: number;
  /** Milliseconds before it fails with 503, if shorter than the default. */
  readonly answerWithin?: number;
  /** JSON, unless `answerTypes` says otherwise. */
  readonly answer: z.ZodType;
  /** The answer is text of this content type, or of the one selected by a query parameter. */
  readonly answerTypes?: readonly string[];
  /** Content type of its alternative answer as a stream. */
  readonly stream?: {
    readonly type: 'text/plain' | 'text/event-stream' | 'application/x-ndjson';
    readonly when: string;
  };
  /** 200 unless given. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Status of a dry run, if different. */
  readonly dryRunStatus?: 200;
  /** Needs no token. */
  readonly open?: boolean;
  /** Valid input. Tests send it to a server with sample data of every kind (`openapi/world.ts` in api). */
  readonly example: Readonly<Record<string, unknown>>;
}

/** The name of an operation. */
export type OperationId = keyof typeof contract;

type Part<Id extends OperationId, Name extends string> = Name extends keyof (typeof contract)[Id]
  ? (typeof contract)[Id][Name]
  : undefined;
type Given<Schema> = Schema extends z.ZodType ? Frozen<z.input<Schema>> : unknown;
type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>;

/** Input of a caller: path parts, query and headers in one flat object, and the body under `body`. */
export type Input<Id extends OperationId> = Given<Part<Id, 'params'>> &
  Given<Part<Id, 'query'>> &
  Given<Part<Id, 'headers'>> &
  BodyOf<Part<Id, 'body'>>;

/** The body is optional if the schema accepts an empty one. */
type BodyOf<Schema> = Schema extends z.ZodType
  ? Record<never, never> extends z.input<Schema>
    ? { readonly body?: Frozen<z.input<Schema>> }
    : { readonly body: Frozen<z.input<Schema>> }
  : unknown;

/** Parsed input of a server: defaults filled in, names parsed. */
export interface ReadInput<Id extends OperationId> {
  readonly params: Read<Part<Id, 'params'>>;
  readonly query: Read<Part<Id, 'query'>>;
  readonly headers: Read<Part<Id, 'headers'>>;
  readonly body: Read<Part<Id, 'body'>>;
}

/** The answer of an operation. */
export type Answer<Id extends OperationId> = Frozen<z.output<(typeof contract)[Id]['answer']>>;

/** Deeply readonly: neither side changes the other's data. */
export type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;
