/**
 * Operations as routes. The contract parses each part of a request, and all problems are reported at once.
 * Texts (path, query, headers) are converted to the type in their schema.
 */

import { Readable } from 'node:stream';
import { type Operation, type OperationId, operationOf, type ReadInput, routeOf } from '@orrery/contract';
import { didYouMean } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { actFor } from '@orrery/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withActionsFor } from './access/actions.ts';
import { askerOf } from './access/asker.ts';
import { keepToProject, withoutHints } from './access/scope.ts';
import { checkAnswer } from './answer.ts';
import type { Context } from './context.ts';
import type { Handler, Handlers } from './handler.ts';
import { headerName } from './header.ts';
import { type InputProblem, Refusal } from './problem.ts';
import { fromText } from './text.ts';
import { findUnkept } from './unkept.ts';
import { wordsFor } from './wording.ts';

const nothing = z.strictObject({});

/** Adds the route of an operation. */
export function serve<Id extends OperationId>(
  app: FastifyInstance,
  context: Pick<Context, 'checkAnswers' | 'store' | 'answerWithin'>,
  id: Id,
  handlers: Pick<Handlers, Id>,
): void {
  const { method, path } = routeOf(id);
  const schema = operationOf(id);
  const handle: Handler<Id> = handlers[id];
  const add = (on: FastifyInstance) =>
    on.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { open: schema.open, operation: id },
      bodyLimit: schema.bodyLimit,
      ...((schema.bodyLimit ?? 0) > MEGABYTE && { preParsing: fewLargeBodies }),
      ...timeLimit(schema, context.answerWithin),
      errorHandler: (error, { identity }) => {
        throw withoutHints(sizeNamed(error, schema), identity);
      },
      handler: async (request, reply) => {
        reply.code(schema.status ?? 200);
        const input = { ...readInput(schema, request), request } as Parameters<Handler<Id>>[0];
        await keepToProject(context.store, schema, input, request.identity);
        const answer = await actFor(askerOf(request), () => handle(input, reply));
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
  { stream, bodyTypes, answerWithin: own = Number.POSITIVE_INFINITY }: Operation,
  answerWithin = 30_000,
): { handlerTimeout?: number } {
  if (stream) return {};
  return { handlerTimeout: Math.min(own, bodyTypes ? 3 * answerWithin : answerWithin) };
}

/** Large bodies that are received or worked on at once: each is in memory until it is answered. */
const MOST_LARGE_BODIES = 8;
let largeBodies = 0;

/** Refuses a large body, or one of unknown size, before it is read if too many are being handled. */
async function fewLargeBodies({ headers }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  if (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= MEGABYTE) return;
  if (largeBodies >= MOST_LARGE_BODIES) throw new Refusal('busy', said('busy.largeFiles'), undefined, 2);
  largeBodies++;
  raw.once('close', () => {
    largeBodies--;
  });
}

/** Here JSON is not parsed either, so that problems have a line and a column. */
function withTextBody(app: FastifyInstance, types: readonly string[]): FastifyInstance {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...types], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return app;
}

function readInput(schema: Operation, request: FastifyRequest): ReadInput<OperationId> {
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

/** Limit of problems in one answer: a body can have as many as it has values. */
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
  // A list in a query is one text with commas, so only the value itself identifies the entry.
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

/** Only headers of the operation: every client sends others. */
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
    throw new Refusal('bad-request', said('body.notText'));
  }
}

function sizeNamed(error: unknown, { bodyLimit = MEGABYTE }: Operation): unknown {
  if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return error;
  return new Refusal('too-large', said('body.tooLarge', { most: bodyLimit / MEGABYTE }));
}

const MEGABYTE = 1024 * 1024;
