/** The REST API as commands call it: JSON in and out, every problem as one line. */
import { InvalidInput } from '@orrery/core/errors';
import { Failed } from './failed.ts';

/** Where the server is and who asks. */
export interface Connection {
  readonly url?: string;
  readonly token?: string;
}

/** What the API answers when it refuses. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly problems?: readonly {
    readonly path: readonly (string | number)[];
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  }[];
}

/** The server cannot be reached. */
export class Unreachable extends Failed {}

/** A refusal, with what the server said. */
export class Refused extends Failed {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const DEFAULT_URL = 'http://127.0.0.1:7070';

/** Statuses that mean: ask differently. */
const badInput = [400, 404, 413, 415, 422];

/** Calls one server. */
export class ApiClient {
  private readonly base: string;
  private readonly token: string | undefined;

  constructor({ url, token }: Connection, environment = process.env) {
    this.base = url ?? environment.ORRERY_URL ?? DEFAULT_URL;
    if (!/^https?:\/\//.test(this.base) || !URL.canParse(this.base))
      throw new InvalidInput(`"${this.base}" is not the address of a server; write ${DEFAULT_URL}`);
    this.token = token ?? environment.ORRERY_TOKEN;
  }

  /** Reads something. */
  async get<T>(path: string): Promise<T> {
    return (await (await this.send('GET', path)).json()) as T;
  }

  /** Asks for a change; what the server refuses as bad input is thrown as such. */
  async post<T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    return (await (await this.send('POST', path, json, { ...type, ...headers })).json()) as T;
  }

  /** Sends a workflow file; its problems are thrown as `Refused`, to be told line by line. */
  async publish<T>(query: string, text: string): Promise<T> {
    const headers = { 'content-type': 'application/yaml' };
    return (await (await this.send('POST', `/workflows${query}`, text, headers)).json()) as T;
  }

  /** An answer that comes piece by piece. */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.send('GET', path);
    if (!body) throw new Failed('the server sent nothing');
    return body;
  }

  private async send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    if (this.token !== undefined) headers = { ...headers, authorization: `Bearer ${this.token}` };
    const url = `${this.base.replace(/\/+$/, '')}/api/v1${path}`;
    let answer: Response;
    try {
      answer = await fetch(url, { method, body, headers });
    } catch (error) {
      throw new Unreachable(
        `no server answers at ${this.base}${causeOf(error)}; start one with "orrery dev", or name another with --url or ORRERY_URL`,
      );
    }
    if (!answer.ok) throw await this.refusalOf(answer);
    return answer;
  }

  private async refusalOf(answer: Response): Promise<Error> {
    if (!answer.headers.get('content-type')?.includes('application/problem+json'))
      return new Failed(`what answers at ${this.base} is not an Orrery server (status ${answer.status})`);
    const problem = (await answer.json()) as Problem;
    if (problem.status === 401)
      return new Failed('the server wants its token; give it with --token or ORRERY_TOKEN');
    if (problem.status >= 500) return new Failed(`${problem.detail} (request ${problem.requestId})`);
    if (badInput.includes(problem.status) && !problem.problems?.some(({ line }) => line !== undefined))
      return Object.assign(new InvalidInput(problem.detail), { problem });
    return new Refused(problem);
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ? ` (${cause.code})` : '';
}
