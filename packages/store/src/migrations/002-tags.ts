/** Tags of workflow versions and of bulks, and the last attempt of task runs, where lists ask for them. */
import type { Migration } from '../migrate.ts';

export const tags: Migration = {
  number: 2,
  name: 'tags',
  statements: [
    'ALTER TABLE bulk ADD COLUMN tags TEXT',
    'ALTER TABLE task_run ADD COLUMN attempt BIGINT NOT NULL DEFAULT 0',
    `ALTER TABLE workflow_version ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'`,
    {
      sqlite: `UPDATE workflow_version SET tags = COALESCE(body -> '$.tags', '[]')`,
      postgres: `UPDATE workflow_version SET tags = COALESCE((body::json -> 'tags')::text, '[]')`,
    },
  ],
};
