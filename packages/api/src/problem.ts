/**
 * Errors as answers: `application/problem+json`. One map says which error means which status; what it does not
 * name is a defect, which is told to the operator and never to the caller.
 */
import type { Path, ProblemCode } from '@orrery/core/model';

/** One thing that is wrong with what was sent: where, and what is accepted. */
export interface InputProblem {
  readonly path: Path;
  readonly message: string;
  readonly code?: ProblemCode | 'unknown-type';
  readonly line?: number;
  readonly column?: number;
}

/** An answer that says why not. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly problems?: readonly InputProblem[];
}

/** A refusal by the API itself. */
export class Refusal extends Error {
  readonly tag = 'refusal';
  readonly kind: Kind;
  readonly problems: readonly InputProblem[] | undefined;

  constructor(kind: Kind, detail: string, problems?: readonly InputProblem[]) {
    super(detail);
    this.kind = kind;
    this.problems = problems;
  }
}

/** Every kind of problem: its status and its title. */
const kinds = {
  'bad-request': [400, 'The request cannot be read'],
  'not-signed-in': [401, 'A token is needed'],
  'not-allowed': [403, 'This is not allowed'],
  'not-found': [404, 'There is no such thing'],
  conflict: [409, 'Not possible in the present state'],
  'too-large': [413, 'The request is too large'],
  'unsupported-type': [415, 'This content type is not accepted'],
  'not-accepted': [422, 'The input is not accepted'],
  'wrong-host': [421, 'This server does not go by that name'],
  defect: [500, 'Something went wrong in Orrery'],
  'store-away': [503, 'The store does not answer'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

type Kind = keyof typeof kinds;

/** Errors that Fastify throws, by their codes; others of its 4xx are bad requests. */
const frameworkKinds: Readonly<Record<string, Kind>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-type',
};

/** The answer to an error. `defect` tells that nobody foresaw it. */
export function problemOf(error: unknown, requestId: string): { problem: Problem; defect: boolean } {
  const kind = kindOf(error);
  const [status, title] = kinds[kind];
  const defect = kind === 'defect';
  const detail = defect
    ? 'The server has recorded what happened under this request id.'
    : (error as Error).message;
  const problems = error instanceof Refusal ? error.problems : undefined;
  return {
    problem: { type: `urn:orrery:problem:${kind}`, title, status, detail, requestId, problems },
    defect,
  };
}

function kindOf(error: unknown): Kind {
  if (error instanceof Refusal) return error.kind;
  if (!(error instanceof Error)) return 'defect';
  switch ('tag' in error && error.tag) {
    case 'invalid-input':
      return 'not-accepted';
    case 'not-found':
      return 'not-found';
    case 'conflict':
      return 'conflict';
    case 'store-away':
      return 'store-away';
  }
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code !== undefined && code in frameworkKinds) return frameworkKinds[code];
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'bad-request' : 'defect';
}
