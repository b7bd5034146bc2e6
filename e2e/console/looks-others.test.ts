import { describe, it } from 'vitest';
import { others } from './harness/looks/catalogue.ts';
import { useLooks } from './harness/looks/visit.ts';

const looks = useLooks();

describe('a page in another state, width or language breaks no rule of accessibility', () => {
  it.each(others.map((visit) => [visit.look.name, visit.shots[0].width, visit.language, visit] as const))(
    '%s at %i px in %s',
    (_name, _width, _language, visit) => looks.take(visit),
  );
});
