/**
 * Errors as `application/problem+json`. One map assigns a status to each error. An error without one is a
 * defect, reported to the operator and never to the caller.
 */

import { type ApiProblem, type Frozen, type ProblemKind, problemKinds } from '@orrery/contract';
import type { Path, ProblemCode } from '@orrery/core/model';
import { english, type Said, said, type Words } from '@orrery/core/texts';
import { wordingOf } from './worded.ts';

/** One problem in the input: its place, and the accepted values. */
export interface InputProblem {
  readonly path: Path;
  readonly message: string;
  readonly said?: Said;
  readonly code?: ProblemCode;
  readonly line?: number;
  readonly column?: number;
}

/** A refusal by the API itself. */
export class Refusal extends Error {
  readonly tag = 'refusal';
  readonly kind: ProblemKind;
  readonly problems: readonly InputProblem[] | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;
  readonly said: Said | undefined;

  constructor(kind: ProblemKind, detail: Words, problems?: readonly InputProblem[], retryAfter?: number) {
    super(typeof detail === 'string' ? detail : english(detail));
    this.said = typeof detail === 'string' ? undefined : detail;
    this.kind = kind;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** A refusal that also names what was perhaps meant; that may be of any project. */
export class Hinted extends Refusal {
  /** The same without the hint. */
  readonly plain: Refusal;

  constructor(kind: ProblemKind, detail: Said, hint: Said | '') {
    super(kind, hint === '' ? detail : said('hint.after', { what: detail, hint }));
    this.plain = new Refusal(kind, detail);
  }
}

/** Someone else changed the thing since it was read. The answer carries the current state. */
export class Changed extends Refusal {
  readonly current: unknown;

  constructor(detail: Words, current: unknown) {
    super('changed', detail);
    this.current = current;
  }
}

/** Errors of Fastify by their codes; its other 4xx are bad requests. */
const frameworkKinds: Readonly<Record<string, ProblemKind>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-type',
  FST_ERR_HANDLER_TIMEOUT: 'busy',
};

/** The answer to an error; `defect` means that it was unexpected. */
export function problemOf(
  error: unknown,
  requestId: string,
): { problem: Frozen<ApiProblem>; defect: boolean } {
  const kind = kindOf(error);
  const [status, title] = problemKinds[kind];
  const defect = kind === 'defect';
  const detail = defect
    ? 'The server has recorded what happened under this request id.'
    : (error as Error).message;
  const problems = error instanceof Refusal ? error.problems : undefined;
  const current = error instanceof Changed ? error.current : undefined;
  return {
    problem: {
      type: `urn:orrery:problem:${kind}`,
      title,
      status,
      detail,
      ...(defect ? {} : wordingOf((error as { readonly said?: Said }).said)),
      requestId,
      problems,
      current,
    },
    defect,
  };
}

function kindOf(error: unknown): ProblemKind {
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
