/**
 * How a call fails. `ApiProblem`: the server refused; the same request will be refused again, unless its
 * `kind` says otherwise. `Unreachable`: no answer of an Orrery server came, so it is unknown whether the
 * request took effect. Callers branch on `tag` and `kind`, never on the text.
 */

import type { Frozen, ApiProblem as ProblemAnswer } from '@orrery/contract';

type ProblemBody = Frozen<ProblemAnswer>;

/** One problem in the request: its place, and the accepted values. */
export type InputProblem = NonNullable<ProblemBody['problems']>[number];

/** The server refused. */
export class ApiProblem extends Error {
  readonly tag = 'api-problem';
  readonly status: number;
  /** The last part of the problem's type: `not-found`, `conflict`, `not-accepted`, … */
  readonly kind: string;
  readonly title: string;
  /** One sentence: the error, and the accepted values. */
  readonly detail: string;
  /** Names the detail; absent where it is of no table. */
  readonly code: string | undefined;
  /** What the detail was made of. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Everything that is wrong with the input; empty where the refusal is about something else. */
  readonly problems: readonly InputProblem[];
  /** What the server's log calls this request. */
  readonly requestId: string;
  /** How long the server asks to wait before the next try, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** Where the thing has changed since it was read (`changed`): how it is now. */
  readonly current: unknown;

  constructor(body: ProblemBody, retryAfter?: number) {
    // Without a type it means nothing beyond its status, as the standard has it.
    const {
      type = 'about:blank',
      title,
      status,
      detail,
      code,
      fields,
      requestId,
      problems = [],
      current,
    } = body;
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.kind = type.slice(type.lastIndexOf(':') + 1);
    this.title = title;
    this.detail = detail;
    this.code = code;
    this.fields = fields;
    this.problems = problems;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.current = current;
  }
}

interface UnreachableDetails {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** Nothing answered, not in time, or something that is not an Orrery server. `cause` has the error underneath. */
export class Unreachable extends Error {
  readonly tag = 'unreachable';
  readonly url: string;
  /** The status of an answer from elsewhere, such as a proxy. */
  readonly status: number | undefined;
  /** How long that asks to wait before the next try, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(message: string, url: string, { status, retryAfter, cause }: UnreachableDetails = {}) {
    super(message, { cause });
    this.name = 'Unreachable';
    this.url = url;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The error that an answer which is not a success means. */
export async function refusalOf(answer: Response, url: string): Promise<ApiProblem | Unreachable> {
  const retryAfter = waitAsked(answer);
  if (answer.headers.get('content-type')?.includes('application/problem+json')) {
    const body = (await answer.json()) as ProblemBody;
    return new ApiProblem(body, retryAfter);
  }
  return new Unreachable(`what answers at ${url} is not an Orrery server (status ${answer.status})`, url, {
    status: answer.status,
    retryAfter,
  });
}

/** What `Retry-After` asks for: it is a number of seconds, or a date. */
function waitAsked({ headers }: Response): number | undefined {
  const asked = headers.get('retry-after');
  if (asked === null) return undefined;
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
