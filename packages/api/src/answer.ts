/** Checks answers against the contract, so that a test fails if only one of the two changes. */
import { isDeepStrictEqual } from 'node:util';
import { contract, type OperationId } from '@orrery/contract';

/** Throws if an answer does not match the contract or has additional fields. */
export function checkAnswer(id: OperationId, answer: unknown): void {
  const sent: unknown = answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
  const result = contract[id].answer.safeParse(sent);
  if (!result.success) throw new Error(`the answer of ${id} breaks the contract: ${result.error.message}`);
  // Unknown keys were dropped in reading.
  if (!isDeepStrictEqual(result.data, sent))
    throw new Error(`the answer of ${id} has keys that the contract does not know: ${JSON.stringify(sent)}`);
}
