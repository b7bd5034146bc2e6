/**
 * Tokens: what every process of an attempt carries in its environment, so that it can be found. They nest, so a
 * prefix finds all of a worker, of one life of a worker, of an attempt:
 * `<name>@<folder>/<life>/<kill|keep>/<attempt>/<process>`.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type AttemptId, attemptText } from '@orrery/wire/frames';

/**
 * The beginning of every token of the worker of this name that keeps its state in this folder, in all its lives. The
 * name alone would not do: on the same machine one of the same name may work for another cluster.
 */
export function tokensOfWorker(name: string, folder: string): string {
  const place = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16);
  return `${encodeURIComponent(name)}@${place}/`;
}

/** The beginning of every token of one life of a worker; `life` is never used twice. */
export function tokensOfLife(tokensOfWorker: string, life: string): string {
  return `${tokensOfWorker}${life}/`;
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
