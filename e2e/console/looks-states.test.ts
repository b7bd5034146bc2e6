import { describe, it } from 'vitest';
import { otherStates } from './harness/looks/catalogue.ts';
import { useLooks } from './harness/looks/visit.ts';

const looks = useLooks();

describe('a page in another state looks as stored, and breaks no rule of accessibility', () => {
  it.each(otherStates.map((visit) => [visit.look.name, visit.shots[0].width, visit] as const))(
    '%s at %i px',
    (_name, _width, visit) => looks.expectAsStored(visit),
  );
});
