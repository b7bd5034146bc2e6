/** What carries operations out: a handler for each entry of the contract, under the same id. */
import type { Readable } from 'node:stream';
import type { Answer, OperationId, ReadInput } from '@orrery/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Carries out an operation: what it returns is the answer, or a stream of what the contract names. */
export type Handler<Id extends OperationId> = (
  input: ReadInput<Id> & { readonly request: FastifyRequest },
  reply: FastifyReply,
) => Promise<Answer<Id> | Readable>;

/** A handler for every operation: one too few or one too many does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
