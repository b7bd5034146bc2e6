/**
 * Operations as routes: each part of a request is read by the contract, and everything that is wrong with it is said at
 * once. What travels as text (path, query, headers) is converted by the type its schema asks for.
 */
import { Readable } from 'node:stream';
import {
  type Answer,
  contract,
  type OperationId,
  type OperationSchema,
  operations,
  type ReadInput,
} from '@orrery/core/contract';
import { didYouMean } from '@orrery/core/model';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withActionsFor } from './access/actions.ts';
import { keepToProject, withoutHints } from './access/scope.ts';
import { checkAnswer } from './answer.ts';
import { headerName } from './header.ts';
import { type InputProblem, Refusal } from './problem.ts';
import type { Context } from './server.ts';
import { fromText } from './text.ts';
import { findUnkept } from './unkept.ts';
import { wordsFor } from './wording.ts';

/** Carries out an operation: what it returns is the answer, or a stream of what the contract names. */
type Handler<Id extends OperationId> = (
  input: ReadInput<Id> & { readonly request: FastifyRequest },
  reply: FastifyReply,
) => Promise<Answer<Id> | Readable>;

const nothing = z.strictObject({});

/** Adds the route of an operation. */
export function serve<Id extends OperationId>(
  app: FastifyInstance,
  context: Pick<Context, 'checkAnswers' | 'store' | 'answerWithin'>,
  id: Id,
  handle: Handler<Id>,
): void {
  const [method, path] = operations[id];
  const schema: OperationSchema = contract[id];
  const add = (on: FastifyInstance) =>
    on.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { open: schema.open, operation: id },
      bodyLimit: schema.bodyLimit,
      ...timeLimit(schema, context.answerWithin),
      errorHandler: (error, { identity }) => {
        throw withoutHints(sizeNamed(error, schema), identity);
      },
      handler: async (request, reply) => {
        reply.code(schema.status ?? 200);
        const input = { ...readInput(schema, request), request } as Parameters<Handler<Id>>[0];
        await keepToProject(context.store, id, input, request.identity);
        const answer = await handle(input, reply);
        if (answer instanceof Readable) return answer;
        if (context.checkAnswers) checkAnswer(id, answer);
        return withActionsFor(request.identity.role, answer);
      },
    });
  if (schema.bodyTypes) app.register(async (own) => add(withTextBody(own, schema.bodyTypes ?? [])));
  else add(app);
}

/** A stream may take as long as it likes; to read a large file may take longer than anything else. */
function timeLimit(
  { stream, bodyTypes, answerWithin: own = Number.POSITIVE_INFINITY }: OperationSchema,
  answerWithin = 30_000,
): { handlerTimeout?: number } {
  if (stream) return {};
  return { handlerTimeout: Math.min(own, bodyTypes ? 3 * answerWithin : answerWithin) };
}

/** Here JSON is not parsed either, so that problems have a line and a column. */
function withTextBody(app: FastifyInstance, types: readonly string[]): FastifyInstance {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...types], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return app;
}

function readInput(schema: OperationSchema, request: FastifyRequest): ReadInput<OperationId> {
  const params = schema.params ?? nothing;
  const query = schema.query ?? nothing;
  const headers = schema.headers ?? nothing;
  const body = schema.bodyTypes ? textOf(request.body) : (request.body ?? {});
  return {
    params: read(params, textsOf(params, request.params), 'bad-request'),
    query: read(query, textsOf(query, request.query), 'bad-request'),
    headers: read(headers, headersOf(headers, request), 'bad-request', headerName),
    body: read(schema.body ?? nothing, body, schema.bodyTypes ? 'bad-request' : 'not-accepted'),
  } as ReadInput<OperationId>;
}

/** Reads a value by its schema, or refuses it with every problem. */
function read(
  schema: z.ZodType,
  value: unknown,
  kind: 'bad-request' | 'not-accepted',
  nameOf = (key: string) => key,
): unknown {
  const unkept = findUnkept(value);
  if (unkept) throw refusalOf(kind, [unkept]);
  const result = schema.safeParse(value, { reportInput: true, error: wordsFor });
  if (result.success) return result.data;
  throw refusalOf(
    kind,
    result.error.issues.flatMap((issue) => problemsOf(schema, issue, kind, nameOf)),
  );
}

/** Problems that one answer tells: a body can have as many as it has values. */
const MOST_PROBLEMS = 100;

function refusalOf(kind: 'bad-request' | 'not-accepted', problems: readonly InputProblem[]): Refusal {
  const told = problems.slice(0, MOST_PROBLEMS);
  const more = problems.length > told.length ? `; and ${problems.length - told.length} more` : '';
  return new Refusal(kind, `${told.map(oneLine).join('; ')}${more}`, told);
}

function problemsOf(
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  kind: 'bad-request' | 'not-accepted',
  nameOf: (key: string) => string,
): InputProblem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : nameOf(String(key))));
  // A list in a query is one word with commas: which entry is meant, only the entry itself says.
  if (kind === 'bad-request' && typeof path[1] === 'number')
    return [{ path: path.slice(0, 1), message: `"${issue.input}": ${issue.message}` }];
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const known = path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const accepted = known.length > 0 ? `; accepted are ${known.join(', ')}` : '';
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: `unknown${didYouMean(key, known)}${accepted}`,
  }));
}

function oneLine({ path, message }: InputProblem): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}

/** The texts of a path or a query, each as the type that its schema asks for. */
function textsOf(schema: z.ZodObject, given: unknown): Record<string, unknown> {
  const texts = Object.entries(given as Record<string, string | string[]>);
  return Object.fromEntries(
    texts.map(([key, text]) => [
      key,
      Object.hasOwn(schema.shape, key) ? fromText(schema.shape[key], text) : text,
    ]),
  );
}

/** Only the headers that the operation knows: every client sends others. */
function headersOf(schema: z.ZodObject, { headers }: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, headers[headerName(key).toLowerCase()]]),
  );
}

function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array)) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('bad-request', 'the body is not text in UTF-8');
  }
}

function sizeNamed(error: unknown, { bodyLimit = MEGABYTE }: OperationSchema): unknown {
  if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return error;
  return new Refusal('too-large', `the body of this request may have at most ${bodyLimit / MEGABYTE} MB`);
}

const MEGABYTE = 1024 * 1024;

/** A page that was cut at its limit has a link to the next one. */
export function nextPage<Row>(
  request: FastifyRequest,
  rows: readonly Row[],
  limit: number,
  cursor: (last: Row) => Record<string, number | string>,
): string | null {
  const last = rows.at(-1);
  return rows.length < limit || last === undefined ? null : linkTo(request, cursor(last));
}

/** The path of a request with other values in its query. */
export function linkTo(request: FastifyRequest, values: Readonly<Record<string, number | string>>): string {
  const url = new URL(request.url, 'http://localhost');
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, String(value));
  return `${url.pathname}${url.search}`;
}
