/** The contract as an OpenAPI 3.1 document. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Operation,
  type OperationId,
  operationIds,
  operationOf,
  problem,
  problemKinds,
  routeOf,
} from '@orrery/contract';
import { roleFor } from '@orrery/contract/roles';
import { z } from 'zod';
import { headerName } from '../header.ts';
import { type JsonSchema, Schemas } from './schemas.ts';

/** Builds it, an operation at a time so that requests are answered meanwhile; the same for every server of a version. */
export async function openApiDocument(version: string): Promise<JsonSchema> {
  const schemas = new Schemas();
  const problemSchema = schemas.convert(problem);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const id of operationIds) {
    const { method, path } = routeOf(id);
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describe(id, path, schemas);
    await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orrery',
      version,
      description: 'Workflows, runs and schedules. Times are RFC 3339 in UTC; durations are milliseconds.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'not needed where the server has no token' },
      },
      schemas: schemas.components,
      responses: Object.fromEntries(
        statuses.map((status) => [
          `problem-${status}`,
          {
            description: titleOf(status),
            content: { 'application/problem+json': { schema: problemSchema } },
          },
        ]),
      ),
    },
  };
}

function describe(id: OperationId, path: string, schemas: Schemas): JsonSchema {
  const schema = operationOf(id);
  return {
    operationId: id,
    summary: schema.summary,
    tags: [path.split('/')[1]],
    ...(schema.open ? { security: [] } : { 'x-orrery-role': roleFor(schema.action) }),
    parameters: [
      ...parametersOf('path', schema, schemas),
      ...parametersOf('query', schema, schemas),
      ...parametersOf('header', schema, schemas),
    ],
    ...(schema.body ? { requestBody: requestOf(schema, schemas) } : {}),
    responses: {
      [schema.status ?? 200]: answerOf(schema, schemas),
      ...(schema.dryRunStatus ? { [schema.dryRunStatus]: answerOf(schema, schemas) } : {}),
      ...Object.fromEntries(
        refusalsOf(schema).map((status) => [status, { $ref: `#/components/responses/problem-${status}` }]),
      ),
    },
  };
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  { params, query, headers, example }: Operation,
  schemas: Schemas,
): JsonSchema[] {
  const part = { path: params, query, header: headers }[place];
  if (!part) return [];
  return schemas.properties(part).map(({ name, required, schema: { description, ...schema } }) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: required || place === 'path',
    ...(description === undefined ? {} : { description }),
    // A list is written with commas.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema,
    ...(name in example ? { example: example[name] } : {}),
  }));
}

function requestOf(
  { body, bodyTypes = ['application/json'], example }: Operation,
  schemas: Schemas,
): JsonSchema {
  const content = { schema: body && schemas.convert(body), example: example.body };
  return {
    required: body !== undefined && !body.safeParse({}).success,
    content: Object.fromEntries(bodyTypes.map((type) => [type, content])),
  };
}

function answerOf(
  { summary, answer, answerTypes = ['application/json'], stream }: Operation,
  schemas: Schemas,
): JsonSchema {
  const plain =
    answer instanceof z.ZodUndefined || answer instanceof z.ZodNever
      ? []
      : answerTypes.map((type) => [type, { schema: schemas.convert(answer) }]);
  const streamed = stream ? [[stream.type, { schema: { type: 'string', description: stream.when } }]] : [];
  const content = Object.fromEntries([...plain, ...streamed]);
  return { description: summary, ...(Object.keys(content).length > 0 ? { content } : {}) };
}

/** The statuses of problems. */
const statuses = [...new Set(Object.values(problemKinds).map(([status]) => status))];

function titleOf(status: number): string {
  const titles = Object.values(problemKinds).flatMap(([one, title]) => (one === status ? [title] : []));
  return titles.join('; ');
}

/** How an operation can refuse: with these statuses. */
function refusalsOf({ params, query, headers, body, open }: Operation): number[] {
  const possible: Record<number, boolean> = {
    401: !open,
    403: !open,
    404: Boolean(params ?? query ?? body),
    409: Boolean(params ?? body),
    412: Boolean(headers && 'ifMatch' in headers.shape),
    413: Boolean(body),
    415: Boolean(body),
    422: Boolean(body),
    429: !open,
  };
  return statuses.filter((status) => possible[status] ?? true);
}
