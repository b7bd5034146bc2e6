/** `GET /openapi.json`: this API, described for programs. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Context } from '../server.ts';

/** Adds the route; the document is made when it is first asked for. */
export function addOpenApiRoute(app: FastifyInstance, context: Context): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  serve(app, context, 'readOpenApi', async () => {
    document ??= openApiDocument(context.version);
    return document;
  });
}
