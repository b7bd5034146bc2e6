/**
 * Tokens: what every process of an attempt carries in its environment, so that it can be found. They nest, so a
 * prefix finds all of a worker's name, of one life of a worker, of an attempt:
 * `<worker>/<life>/<kill|keep>/<attempt>/<process>`.
 */
import { type AttemptId, attemptText } from '@orrery/wire/frames';

/** The beginning of every token of a worker of this name, in all its lives. */
export function tokensOfName(worker: string): string {
  return `${encodeURIComponent(worker)}/`;
}

/** The beginning of every token of one life of a worker; `life` is never used twice. */
export function tokensOfLife(worker: string, life: string): string {
  return `${tokensOfName(worker)}${life}/`;
}

/** The beginning of the tokens of those attempts that end when the worker has lost contact to its masters. */
export function tokensWithoutKeep(tokensOfLife: string): string {
  return `${tokensOfLife}kill/`;
}

/** The token of an attempt: its processes add a number each. */
export function attemptToken(
  tokensOfLife: string,
  attempt: AttemptId,
  onLostContact: 'kill' | 'keep',
): string {
  return `${tokensOfLife}${onLostContact}/${attemptText(attempt)}`;
}
