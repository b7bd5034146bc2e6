/** `GET /config`: the settings that take effect, each with its source; the value of a secret is not among them. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';

/** What the operation does. */
export function configHandlers(context: Context) {
  return {
    showConfig: async () => ({
      settings: (context.config ?? []).map((setting) => ({
        ...setting,
        value: setting.secret ? null : setting.value,
      })),
    }),
  } satisfies Partial<Handlers>;
}
