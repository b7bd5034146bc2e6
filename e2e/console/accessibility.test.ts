import { describe, it } from 'vitest';
import { compared } from './harness/looks/catalogue.ts';
import { useLooks } from './harness/looks/visit.ts';

/** Hardly anything of the huge seed: none of these pages shows it. */
const looks = useLooks({ workflows: 2, runs: 10, wide: 2, tasks: 2, logLines: 10 });

describe('a loaded page, light and dark, breaks no rule of accessibility', () => {
  it.each(compared.map((visit) => [visit.look.name, visit] as const))('%s', (_name, visit) =>
    looks.check(visit),
  );
});
