/** Problems: the answer of every refused request, as `application/problem+json`. */
import { z } from 'zod';
import { wording } from './shapes.ts';

/** Kinds of problems with status and title. */
export const problemKinds = {
  'bad-request': [400, 'The request cannot be read'],
  'not-signed-in': [401, 'A token is needed'],
  expired: [401, 'The token has expired'],
  'not-allowed': [403, 'This is not allowed'],
  'not-found': [404, 'Not found'],
  conflict: [409, 'Not possible in the present state'],
  changed: [412, 'It has changed since it was read'],
  'too-large': [413, 'The request is too large'],
  'unsupported-type': [415, 'This content type is not accepted'],
  'wrong-host': [421, 'Unknown host'],
  'not-accepted': [422, 'The input is not accepted'],
  'too-many-tries': [429, 'Too many tries'],
  'too-many-starts': [429, 'Too many starts wait'],
  defect: [500, 'Something went wrong in Orrery'],
  'store-away': [503, 'The store does not answer'],
  'registry-away': [503, 'The registry does not answer'],
  unhealthy: [503, 'Unhealthy'],
  busy: [503, 'The server has too much to do'],
} as const satisfies Record<string, readonly [status: number, title: string]>;
export type ProblemKind = keyof typeof problemKinds;

/** One error in the input. */
export const inputProblem = z
  .object({
    path: z.array(z.union([z.string(), z.int()])).describe('keys and list positions from the top'),
    message: z.string(),
    said: z.object(wording).optional().describe('code and fields of `message`, where it is of a table'),
    code: z.string().optional().describe('of a workflow file: what programs branch on'),
    line: z.int().positive().optional(),
    column: z.int().positive().optional(),
  })
  .meta({ id: 'InputProblem' });

/** The answer to a refused request. */
export const problem = z
  .object({
    type: z.string().describe('`urn:orrery:problem:` and the kind'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('one sentence: what is wrong, and what is accepted'),
    ...wording,
    requestId: z.string(),
    problems: z.array(inputProblem).optional().describe('everything that is wrong with the input'),
    current: z.unknown().optional().describe('with 412: the present state'),
  })
  .meta({ id: 'Problem' });
export type ApiProblem = z.output<typeof problem>;
