/** Connections: how the tasks of a project reach other systems. */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, number, time } from './shapes.ts';

const MOST_CHARACTERS = 65_536;

const settings = z.record(z.string(), z.unknown());

const connection = z
  .object({
    project: z.string(),
    name: z.string(),
    kind: z.string(),
    description: z.string(),
    settings: settings.describe('as the schema of its kind says; secrets stay names: `${secret.NAME}`'),
    revision: z.int().positive().describe('grows with every change; send it as `If-Match`'),
    changedAt: time,
  })
  .meta({ id: 'Connection' });

const kind = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    schema: z.record(z.string(), z.unknown()).describe('what its settings accept, as JSON Schema'),
    driver: z.string().optional().describe('the npm package that a worker needs for it'),
  })
  .meta({ id: 'ConnectionKind' });

const path = z.strictObject({ project: nameSchema, name: nameSchema });

export const connectionOperations = {
  listConnectionKinds: {
    route: 'GET /connection-kinds',
    action: 'connection.read',
    scope: 'shared',
    summary: 'the kinds of connections there are, and which settings each has',
    answer: z.object({ kinds: z.array(kind) }),
    example: {},
  },
  listConnections: {
    route: 'GET /connections',
    action: 'connection.read',
    scope: 'filter',
    summary: 'connections, by project and name',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ connections: z.array(connection) }),
    example: { project: 'default' },
  },
  showConnection: {
    route: 'GET /connections/{project}/{name}',
    action: 'connection.read',
    scope: 'path',
    summary: 'a connection',
    params: path,
    answer: connection,
    example: { project: 'default', name: 'warehouse' },
  },
  setConnection: {
    route: 'PUT /connections/{project}/{name}',
    action: 'connection.edit',
    scope: 'path',
    audit: 'connection.set',
    summary: 'makes or replaces a connection; attempts that start later are given it',
    params: path,
    headers: z.strictObject({
      ifMatch: ifMatch('revision of a connection').describe(
        'only if this is still its revision; 0: if it is new',
      ),
    }),
    body: z.strictObject({
      kind: z.string().min(1).max(100),
      description: z.string().max(1_000).default(''),
      settings: settings
        .refine((all) => JSON.stringify(all).length <= MOST_CHARACTERS, 'must be at most 64 KB of JSON')
        .describe('all of them; passwords and keys as `${secret.NAME}`'),
    }),
    answer: connection,
    example: {
      project: 'default',
      name: 'archive',
      ifMatch: '"0"',
      body: { kind: 'sqlite', settings: { file: '/data/archive.db' } },
    },
  },
  deleteConnection: {
    route: 'DELETE /connections/{project}/{name}',
    action: 'connection.edit',
    scope: 'path',
    audit: 'connection.delete',
    summary: 'deletes a connection; refused while live versions of workflows use it',
    params: path,
    status: 204,
    answer: z.undefined(),
    example: { project: 'default', name: 'warehouse' },
  },
  testConnection: {
    route: 'POST /connections/{project}/{name}/test',
    action: 'connection.edit',
    scope: 'path',
    audit: 'run.start',
    summary: 'starts a run that connects from a worker; how it ends is the result of the test',
    params: path,
    body: z.strictObject({
      workerGroup: nameSchema.default('default').describe('from a worker of this group'),
    }),
    status: 202,
    answer: z.object({ run: number }),
    example: { project: 'default', name: 'warehouse', body: {} },
  },
} as const satisfies Record<string, Operation>;
