/** What an entry of the contract says about an operation; types of inputs and answers follow from its schemas. */
import type { z } from 'zod';
import type { contract } from './index.ts';
import type { AccessAction, Scope } from './roles.ts';

/**
 * One operation. Values in `params`, `query` and `headers` have their natural types, also where they travel as text;
 * a header is named in camel case (`ifMatch`). A part without a schema must be empty.
 */
export interface Operation {
  /** Method, and path under `/api/v1`; `{name}` is a part that `params` reads. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** The right that a caller needs. */
  readonly action: AccessAction;
  /** How it is kept to the project of a caller who has only one. */
  readonly scope: Scope;
  /** The action under which the audit records it: of every operation that changes something. */
  readonly audit?: string;
  /** Why an operation that is not a GET leaves no entry in the audit. */
  readonly unaudited?: string;
  /** One line: what it does, or what it answers. */
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** JSON, unless `bodyTypes` says otherwise. */
  readonly body?: z.ZodType;
  /** The body is text of one of these content types. */
  readonly bodyTypes?: readonly string[];
  /** Bytes that a body may have; 1 MB unless given. */
  readonly bodyLimit?: number;
  /** Milliseconds after which it is given up with 503, where that is sooner than for others. */
  readonly answerWithin?: number;
  /** JSON, unless `answerTypes` says otherwise. */
  readonly answer: z.ZodType;
  /** The answer is text of this content type, or of the one a query parameter asks for. */
  readonly answerTypes?: readonly string[];
  /** It may also answer with a stream of this content type. */
  readonly stream?: {
    readonly type: 'text/plain' | 'text/event-stream' | 'application/x-ndjson';
    readonly when: string;
  };
  /** 200 unless given. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Of a dry run, where that is another one. */
  readonly dryRunStatus?: 200;
  /** Answered without a token. */
  readonly open?: boolean;
  /** Valid input. Tests send it to a server that has something of everything (`openapi/world.ts` in api). */
  readonly example: Readonly<Record<string, unknown>>;
}

/** The name of an operation. */
export type OperationId = keyof typeof contract;

type Part<Id extends OperationId, Name extends string> = Name extends keyof (typeof contract)[Id]
  ? (typeof contract)[Id][Name]
  : undefined;
type Given<Schema> = Schema extends z.ZodType ? Frozen<z.input<Schema>> : unknown;
type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>;

/** What a caller gives: parts of the path, query and headers in one flat object, and the body under `body`. */
export type Input<Id extends OperationId> = Given<Part<Id, 'params'>> &
  Given<Part<Id, 'query'>> &
  Given<Part<Id, 'headers'>> &
  BodyOf<Part<Id, 'body'>>;

/** A body may be left out where an empty one is accepted. */
type BodyOf<Schema> = Schema extends z.ZodType
  ? Record<never, never> extends z.input<Schema>
    ? { readonly body?: Frozen<z.input<Schema>> }
    : { readonly body: Frozen<z.input<Schema>> }
  : unknown;

/** What a server gets once the input was read: defaults filled in, names taken apart. */
export interface ReadInput<Id extends OperationId> {
  readonly params: Read<Part<Id, 'params'>>;
  readonly query: Read<Part<Id, 'query'>>;
  readonly headers: Read<Part<Id, 'headers'>>;
  readonly body: Read<Part<Id, 'body'>>;
}

/** What an operation answers. */
export type Answer<Id extends OperationId> = Frozen<z.output<(typeof contract)[Id]['answer']>>;

/** Readonly all the way down: neither side changes what it was handed. */
export type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;
