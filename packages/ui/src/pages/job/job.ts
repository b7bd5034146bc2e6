/** The job that the page shows. */
import type { AnswerOf } from '../../data/client.ts';

export type Job = AnswerOf<'showJob'>;

/** No live topic tells of registries. */
export const EVERY = 2_000;
