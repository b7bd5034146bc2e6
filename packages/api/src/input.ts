/** Input of routes: each part is read by its schema, and everything that is wrong with it is said at once. */
import { didYouMean } from '@orrery/core/model';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type InputProblem, Refusal } from './problem.ts';

/** A route: what it takes and what it answers. A part without a schema must be empty. */
export interface Route<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  handle(
    input: {
      readonly params: z.output<Params>;
      readonly query: z.output<Query>;
      readonly body: z.output<Body>;
      readonly request: FastifyRequest;
    },
    reply: FastifyReply,
  ): Promise<unknown>;
}

const nothing = z.strictObject({});

/** Adds a route. */
export function route<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  app: FastifyInstance,
  { method, path, params, query, body, handle }: Route<Params, Query, Body>,
): void {
  app.route({
    method,
    url: path,
    handler: async (request, reply) =>
      handle(
        {
          params: read(params ?? nothing, request.params, 'bad-request') as z.output<Params>,
          query: read(query ?? nothing, request.query, 'bad-request') as z.output<Query>,
          body: read(body ?? nothing, request.body ?? {}, 'not-accepted') as z.output<Body>,
          request,
        },
        reply,
      ),
  });
}

/** Reads a value by its schema, or refuses it with every problem. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: 'bad-request' | 'not-accepted',
): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(schema, issue));
  throw new Refusal(kind, problems.map(oneLine).join('; '), problems);
}

function problemsOf(schema: z.ZodType, issue: z.core.$ZodIssue): InputProblem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
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

/** The number of a run, a schedule, a version: a positive whole number in a path or a query. */
export const number = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'is not a number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is too large');

/** How many entries a page has. */
export const limit = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a whole number from 1 to 1000')
  .transform(Number)
  .refine((count) => count <= 1_000, 'must be a whole number from 1 to 1000')
  .default(50);

/** A switch in a query. */
export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** A page that was cut at its limit has a link to the next one. */
export function nextPage<Row>(
  request: FastifyRequest,
  rows: readonly Row[],
  limit: number,
  cursor: (last: Row) => Record<string, number | string>,
): string | null {
  const last = rows.at(-1);
  if (rows.length < limit || last === undefined) return null;
  const url = new URL(request.url, 'http://localhost');
  for (const [name, value] of Object.entries(cursor(last))) url.searchParams.set(name, String(value));
  return `${url.pathname}${url.search}`;
}
