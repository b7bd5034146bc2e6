/** `GET /overview`: what needs people and how much is going on; `POST /needs/{id}/mute` hides one of those needs. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Overview } from '../overview/overview.ts';

/** What the operations do. */
export function overviewHandlers(context: Context) {
  const overview = new Overview(context);

  return {
    showOverview: async ({ query, request }) => overview.show(query, request.identity),

    muteNeed: async ({ params: { id }, body, request }) => overview.mute(id, body, request.identity.name),
  } satisfies Partial<Handlers>;
}
