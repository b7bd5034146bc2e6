/** Parts of the body of a request as parameters. */

import type { Parameters } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Refusal } from '../problem.ts';

/** The parameters that a webhook takes from a body. A missing or null part sets none. */
export function parametersFrom(paths: Parameters, body: Uint8Array): Parameters {
  const entries = Object.entries(paths);
  if (entries.length === 0) return {};
  const whole = parse(body);
  return Object.fromEntries(
    entries.flatMap(([name, path]) => {
      const value = partAt(whole, path.split('.').slice(1));
      return value === undefined || value === null ? [] : [[name, textOf(value)]];
    }),
  );
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal('not-accepted', said('hook.notJson'));
  }
}

function partAt(whole: unknown, path: readonly string[]): unknown {
  let part = whole;
  for (const key of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
