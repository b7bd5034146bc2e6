/** What api and cli need to see and drive elastic jobs, without the code that runs them. */
export type { JobBoard } from './board.ts';
