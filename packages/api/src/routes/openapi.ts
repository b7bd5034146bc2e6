/** `GET /openapi.json`: this API, described for programs. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { openApiDocument } from '../openapi/document.ts';

/** Adds the route; the document is made when it is first asked for. */
export function openApiHandlers(context: Context) {
  let document: ReturnType<typeof openApiDocument> | undefined;

  return {
    readOpenApi: async () => {
      document ??= openApiDocument(context.version);
      return document;
    },
  } satisfies Partial<Handlers>;
}
