/**
 * The REST API as functions: one for every operation, with input and answer typed by the contract. No schema
 * is loaded and nothing is checked here; the server reports invalid input.
 *
 *     const orrery = createClient({ url: 'http://127.0.0.1:7070' });
 *     const { id } = await orrery.startRun({ body: { workflow: 'hello' } });
 *     for await (const run of orrery.all.listRuns({ state: ['failed'] })) console.log(run.id);
 */
import type { Answer, Input, OperationId } from '@orrery/contract';
import { routes } from '@orrery/contract/routes';
import { addressOf } from './address.ts';
import { itemsOf, type PageItem, pathOfNext } from './pages.ts';
import { Unreachable } from './problem.ts';
import {
  type CallOptions,
  type ClientOptions,
  createTransport,
  type Request,
  type Transport,
} from './transport.ts';

/** What an operation takes: parts of the path, query and headers in one flat object, and the body under `body`. */
export type InputOf<Id extends OperationId> = unknown extends Input<Id> ? Record<string, never> : Input<Id>;

/** What an operation answers. */
export type AnswerOf<Id extends OperationId> = Answer<Id>;

/** A function for every operation. The input may be left out where nothing in it is required. */
type Calls = {
  readonly [Id in OperationId]: Record<never, never> extends InputOf<Id>
    ? (input?: InputOf<Id>, options?: CallOptions) => Promise<Answer<Id>>
    : (input: InputOf<Id>, options?: CallOptions) => Promise<Answer<Id>>;
};

/** Operations that answer with a page of a list. */
type PagedId = { [Id in OperationId]: [PageItem<Answer<Id>>] extends [never] ? never : Id }[OperationId];

type AllCalls = {
  readonly [Id in PagedId]: Record<never, never> extends InputOf<Id>
    ? (input?: InputOf<Id>, options?: CallOptions) => AsyncGenerator<PageItem<Answer<Id>>, void>
    : (input: InputOf<Id>, options?: CallOptions) => AsyncGenerator<PageItem<Answer<Id>>, void>;
};

/** A client of one server. */
export interface Client extends Calls {
  /** The entries of a list across pages. The next page is requested when the present one is used up. */
  readonly all: AllCalls;
  /** The raw response, for streams such as a followed log. One try, no time limit. */
  open<Id extends OperationId>(id: Id, input: InputOf<Id>, signal?: AbortSignal): Promise<Response>;
  /** What the requests go through. */
  readonly transport: Transport;
}

/** Makes a client; asks the server nothing yet. */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options);
  const { makeKey = () => crypto.randomUUID() } = options;

  const request = (id: OperationId, input: AnyInput): Request => {
    // With a key, a second request makes no second thing, so it can be repeated.
    const isKeyed = routes[id].headers?.includes('idempotencyKey');
    return requestOf(id, isKeyed ? { ...input, idempotencyKey: input.idempotencyKey ?? makeKey() } : input);
  };
  const calls: Record<string, unknown> = {};
  const all: Record<string, unknown> = {};
  for (const id of Object.keys(routes) as OperationId[]) {
    calls[id] = async (input: AnyInput = {}, call?: CallOptions) =>
      transport.send(request(id, input), readAnswer, call);
    all[id] = (input: AnyInput = {}, call?: CallOptions) => pages(transport, request(id, input), call);
  }
  const open = async (id: OperationId, input: AnyInput, signal?: AbortSignal) =>
    transport.open(request(id, input), signal);
  return { ...calls, all, open, transport } as unknown as Client;
}

type AnyInput = Readonly<Record<string, unknown>>;

function requestOf(id: OperationId, { body, ...values }: AnyInput): Request {
  const { route, headers: sentAsHeaders = [], text = 'application/json' } = routes[id];
  const [method, path] = route.split(' ');
  const headers: Record<string, string> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (!sentAsHeaders.includes(name)) rest[name] = value;
    else if (value !== undefined) headers[kebabCase(name)] = String(value);
  }
  if (body !== undefined) headers['content-type'] = text;
  return {
    method,
    path: addressOf(path, rest),
    headers,
    body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    repeatable: method === 'GET' || headers['idempotency-key'] !== undefined,
  };
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

async function readAnswer(answer: Response): Promise<unknown> {
  if (answer.status === 204) return undefined;
  const type = answer.headers.get('content-type') ?? '';
  // A page: of another server, or of the console under a path that is not the API's.
  if (type.includes('text/html'))
    throw new Unreachable(`what answers at ${answer.url} is not the API of an Orrery server`, answer.url, {
      status: answer.status,
    });
  return type.includes('json') ? answer.json() : answer.text();
}

async function* pages(
  transport: Transport,
  first: Request,
  options?: CallOptions,
): AsyncGenerator<unknown, void> {
  for (let request: Request | undefined = first; request; ) {
    const page = (await transport.send(request, readAnswer, options)) as object & { next: string | null };
    yield* itemsOf(page);
    request = page.next === null ? undefined : { ...first, path: pathOfNext(page.next) };
  }
}
