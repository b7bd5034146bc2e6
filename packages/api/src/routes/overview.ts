/** `GET /overview`: what needs people and how much is going on; `POST /needs/{id}/mute` hides one of those needs. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Overview } from '../overview/overview.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addOverviewRoutes(app: FastifyInstance, context: Context): void {
  const overview = new Overview(context);
  serve(app, context, 'showOverview', async ({ query, request }) => overview.show(query, request.identity));
  serve(app, context, 'muteNeed', async ({ params: { id }, body, request }) =>
    overview.mute(id, body, request.identity.name),
  );
}
