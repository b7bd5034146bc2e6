/** `GET /search`: anything by its name, its id, its host or the path of its log. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { search } from '../search/search.ts';
import type { Context } from '../server.ts';

/** Adds the route. */
export function addSearchRoute(app: FastifyInstance, context: Context): void {
  serve(app, context, 'search', async ({ query }) => search(context, query));
}
