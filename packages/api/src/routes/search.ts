/** `GET /search`: anything by its name, its id, its host or the path of its log. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { search } from '../search/search.ts';

/** What the operation does. */
export function searchHandlers(context: Context) {
  return {
    search: async ({ query }) => search(context, query),
  } satisfies Partial<Handlers>;
}
