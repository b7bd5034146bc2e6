/**
 * The tables of the PostgreSQL registry and the functions that write them, in a schema of their own. A write
 * is one call of `apply`, so a client that freezes cannot leave it half done. Every write locks the single
 * row of `head` until it commits and takes its revision from that row, so revisions become visible in order
 * and none is skipped.
 */
import type pg from 'pg';

/** SQLSTATE of our functions: the message is a `RegistryReason`, the detail is the step. */
export const REFUSED = 'ORREG';

/** Creates missing objects. A user without the right to create can use a complete schema. */
export async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query(`SELECT to_regproc($1) IS NOT NULL AS complete`, [`${schema}.beat`]);
  if (rows[0].complete) return;
  await client.query('BEGIN');
  try {
    // Concurrent CREATE … IF NOT EXISTS statements can fail.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('orrery registry'))`);
    await client.query(statements(schema));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function statements(s: string): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${s};
CREATE TABLE IF NOT EXISTS ${s}.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), revision bigint NOT NULL);
INSERT INTO ${s}.head (revision) VALUES (0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS ${s}.session (
  id text PRIMARY KEY, beat bigint NOT NULL, timeout integer NOT NULL, name text NOT NULL) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS ${s}.entry (
  path text COLLATE "C" PRIMARY KEY, parent text COLLATE "C" NOT NULL, value bytea NOT NULL, version integer NOT NULL,
  created bigint NOT NULL, changed bigint NOT NULL, owner text);
CREATE INDEX IF NOT EXISTS entry_parent ON ${s}.entry (parent);
CREATE INDEX IF NOT EXISTS entry_owner ON ${s}.entry (owner) WHERE owner IS NOT NULL;

-- operations: [{op, path, parent, version, ephemeral, sequential}], their values beside them.
CREATE OR REPLACE FUNCTION ${s}.apply(me text, operations jsonb, vals bytea[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  rev bigint;
  step integer := -1;
  todo jsonb;
  target text;
  above ${s}.entry;
  old ${s}.entry;
  results jsonb := '[]';
BEGIN
  SELECT revision INTO rev FROM ${s}.head FOR UPDATE;
  PERFORM 1 FROM ${s}.session WHERE id = me;
  IF NOT FOUND THEN RAISE EXCEPTION 'session-lost' USING ERRCODE = '${REFUSED}'; END IF;
  FOR todo IN SELECT * FROM jsonb_array_elements(operations) LOOP
    step := step + 1;
    target := todo->>'path';
    IF todo->>'op' <> 'check' THEN rev := rev + 1; END IF;
    IF todo->>'op' = 'create' THEN
      IF todo->>'sequential' = 'true' THEN target := target || lpad(rev::text, 10, '0'); END IF;
      IF todo->>'parent' <> '/' THEN
        SELECT * INTO above FROM ${s}.entry WHERE path = todo->>'parent';
        IF NOT FOUND THEN
          RAISE EXCEPTION 'no-parent' USING ERRCODE = '${REFUSED}', DETAIL = step;
        ELSIF above.owner IS NOT NULL THEN
          RAISE EXCEPTION 'below-ephemeral' USING ERRCODE = '${REFUSED}', DETAIL = step;
        END IF;
      END IF;
      INSERT INTO ${s}.entry (path, parent, value, version, created, changed, owner)
        VALUES (target, todo->>'parent', vals[step + 1], 0, rev, rev,
          CASE WHEN todo->>'ephemeral' = 'true' THEN me END)
        ON CONFLICT DO NOTHING RETURNING * INTO old;
      IF NOT FOUND THEN RAISE EXCEPTION 'exists' USING ERRCODE = '${REFUSED}', DETAIL = step; END IF;
      PERFORM pg_notify('${s}', rev || ' created ' || target);
      results := results || jsonb_build_object('path', target, 'version', 0, 'created', rev, 'changed', rev,
        'owner', old.owner);
      CONTINUE;
    END IF;
    SELECT * INTO old FROM ${s}.entry WHERE path = target;
    IF NOT FOUND AND target <> '/' THEN
      RAISE EXCEPTION 'no-entry' USING ERRCODE = '${REFUSED}', DETAIL = step;
    ELSIF old.version IS DISTINCT FROM coalesce((todo->>'version')::integer, old.version) THEN
      RAISE EXCEPTION 'version' USING ERRCODE = '${REFUSED}', DETAIL = step;
    END IF;
    IF todo->>'op' = 'set' THEN
      UPDATE ${s}.entry SET value = vals[step + 1], version = version + 1, changed = rev WHERE path = target;
      PERFORM pg_notify('${s}', rev || ' changed ' || target);
      results := results || jsonb_build_object('path', target, 'version', old.version + 1, 'created', old.created,
        'changed', rev, 'owner', old.owner);
    ELSIF todo->>'op' = 'delete' THEN
      PERFORM 1 FROM ${s}.entry WHERE parent = target LIMIT 1;
      IF FOUND THEN RAISE EXCEPTION 'not-empty' USING ERRCODE = '${REFUSED}', DETAIL = step; END IF;
      DELETE FROM ${s}.entry WHERE path = target;
      PERFORM pg_notify('${s}', rev || ' deleted ' || target);
      results := results || 'null'::jsonb;
    ELSE
      results := results || 'null'::jsonb;
    END IF;
  END LOOP;
  UPDATE ${s}.head SET revision = rev;
  RETURN results;
END $$;

-- Ends a session with its entries; with a beat, only if that is still its last one.
CREATE OR REPLACE FUNCTION ${s}.expire(who text, seen bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  rev bigint;
  gone text;
BEGIN
  SELECT revision INTO rev FROM ${s}.head FOR UPDATE;
  DELETE FROM ${s}.session WHERE id = who AND beat = coalesce(seen, beat);
  IF NOT FOUND THEN RETURN false; END IF;
  FOR gone IN SELECT path FROM ${s}.entry WHERE owner = who ORDER BY path LOOP
    rev := rev + 1;
    DELETE FROM ${s}.entry WHERE path = gone;
    PERFORM pg_notify('${s}', rev || ' deleted ' || gone);
  END LOOP;
  UPDATE ${s}.head SET revision = rev;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ${s}.open(timeout integer, name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  made text := gen_random_uuid();
BEGIN
  INSERT INTO ${s}.session (id, beat, timeout, name) VALUES (made, 0, timeout, name);
  -- So that all others look as often as this session needs it.
  PERFORM pg_notify('${s}', 'session');
  RETURN made;
END $$;

-- A sign of life, and all that an observer has to know.
CREATE OR REPLACE FUNCTION ${s}.beat(me text, OUT alive boolean, OUT revision bigint, OUT sessions jsonb)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${s}.session SET beat = beat + 1 WHERE id = me;
  alive := FOUND;
  SELECT h.revision INTO beat.revision FROM ${s}.head h;
  SELECT jsonb_agg(jsonb_build_array(o.id, o.beat, o.timeout)) INTO beat.sessions
    FROM ${s}.session o WHERE o.id <> me;
END $$;
`;
}
