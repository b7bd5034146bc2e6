/** The pages one was on last, for the palette. */
import { keep } from '../../data/kept.ts';

/** A page one was on. */
export interface Visit {
  readonly title: string;
  readonly to: string;
}

const MOST = 20;

function isVisit(value: unknown): value is Visit {
  const { title, to } = (value ?? {}) as Partial<Visit>;
  return typeof title === 'string' && typeof to === 'string' && to.startsWith('/');
}

const visits = keep<readonly Visit[]>('orrery.recent', (stored) =>
  Array.isArray(stored) ? stored.filter(isVisit).slice(0, MOST) : [],
);

/** Remembers a page; the newest comes first. */
export function remember(visit: Visit): void {
  if (visit.title === '') return;
  const [newest] = visits.get();
  if (newest?.to === visit.to && newest.title === visit.title) return;
  visits.set([visit, ...visits.get().filter(({ to }) => to !== visit.to)].slice(0, MOST));
}

/** The pages one was on, newest first. */
export function recentVisits(): readonly Visit[] {
  return visits.get();
}
