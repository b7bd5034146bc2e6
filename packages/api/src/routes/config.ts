/** `GET /config`: the settings that take effect, each with its source; the value of a secret is not among them. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import type { Context } from '../server.ts';

/** Adds the route. */
export function addConfigRoute(app: FastifyInstance, context: Context): void {
  serve(app, context, 'showConfig', async () => ({
    settings: (context.config ?? []).map((setting) => ({
      ...setting,
      value: setting.secret ? null : setting.value,
    })),
  }));
}
