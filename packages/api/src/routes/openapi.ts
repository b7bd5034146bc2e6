/** `GET /openapi.json`: this API, described for programs. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { openApiDocument } from '../openapi/document.ts';

/** Adds the route. The document is built on the first request. */
export function openApiHandlers(context: Context) {
  let document: ReturnType<typeof openApiDocument> | undefined;

  return {
    readOpenApi: async () => {
      document ??= openApiDocument(context.version);
      return document;
    },
  } satisfies Partial<Handlers>;
}
