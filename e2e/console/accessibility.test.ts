import { describe, it } from 'vitest';
import { compared } from './harness/looks/catalogue.ts';
import { useLooks } from './harness/looks/visit.ts';

/** Hardly anything in the large worlds: none of these pages shows them. */
const looks = useLooks({
  huge: { workflows: 2, runs: 10, wide: 2, tasks: 2, logLines: 10 },
  crowd: { workers: 1, things: 1, waiting: 1, alerts: 1, times: 1 },
});

/** Pages that no other test checks in dark. The full tier checks every page in both schemes, with its picture. */
const darkOnlyHere = /^(sign-in|log|palette|keys|run-dialog|again-dialog|publish-dialog)$/;
const visits = compared
  .filter(({ look }) => darkOnlyHere.test(look.name))
  .flatMap((visit) => {
    const dark = visit.shots.filter(({ scheme }) => scheme === 'dark');
    return dark.map((shot) => ({ ...visit, shots: [shot] as const }));
  });

describe('a loaded page in dark breaks no rule of accessibility', () => {
  it.each(visits.map((visit) => [visit.look.name, visit] as const))('%s', (_name, visit) =>
    looks.check(visit),
  );
});
