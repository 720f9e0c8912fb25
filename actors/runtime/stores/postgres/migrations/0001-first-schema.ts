/**
 * The first schema: the tables of the SQLite store in the types of PostgreSQL, and the operations that are one call
 * each. Texts compare by their bytes (collation C), as there; times and sort keys are doubles, like JavaScript's
 * numbers. Rows up to 8 KiB stay uncompressed in their page, and pages keep free space, so that an update stays on its
 * page and changes no index.
 */
export const firstSchema = `-- compatible: tables, and the functions that commit and keep the membership
CREATE TABLE actors (
  address text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  hash integer NOT NULL,
  shard integer NOT NULL,
  version bigint NOT NULL,
  chart integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  snapshot text NOT NULL,
  transitions text NOT NULL
) WITH (fillfactor = 60, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX actors_by_kind ON actors (kind, shard, address);
CREATE INDEX actors_by_state ON actors (kind, state, chart);

CREATE TABLE rows (
  collection text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  sort double precision NOT NULL,
  index0 text COLLATE "C",
  index1 text COLLATE "C",
  index2 text COLLATE "C",
  index3 text COLLATE "C",
  open boolean NOT NULL,
  expires_at double precision,
  body text NOT NULL,
  PRIMARY KEY (collection, id, address)
) WITH (fillfactor = 90, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX rows_by_address ON rows (address, collection, sort, id);
CREATE INDEX rows_open ON rows (address, collection, sort, id) WHERE open;
CREATE INDEX rows_open_of_runtime ON rows (collection, index0, sort, id)
  WHERE open AND collection >= '$' AND collection < '%';
CREATE INDEX rows_expiring ON rows (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX rows_by_index0 ON rows (collection, index0, sort, id) WHERE index0 IS NOT NULL;
CREATE INDEX rows_by_index1 ON rows (collection, index1, sort, id) WHERE index1 IS NOT NULL;
CREATE INDEX rows_by_index2 ON rows (collection, index2, sort, id) WHERE index2 IS NOT NULL;
CREATE INDEX rows_by_index3 ON rows (collection, index3, sort, id) WHERE index3 IS NOT NULL;

CREATE TABLE timers (
  address text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  due_at double precision NOT NULL,
  event text NOT NULL,
  PRIMARY KEY (address, name)
);
CREATE INDEX timers_due ON timers (due_at, address, name, shard);

CREATE TABLE nodes (
  birth bigint PRIMARY KEY,
  incarnation text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  address text NOT NULL,
  operator_url text NOT NULL,
  pid integer NOT NULL,
  host text NOT NULL,
  beat bigint NOT NULL DEFAULT 0,
  reaches text NOT NULL DEFAULT '[]',
  state text COLLATE "C" NOT NULL DEFAULT 'joining',
  why text
) WITH (fillfactor = 50);
CREATE INDEX nodes_alive ON nodes (birth) WHERE state IN ('joining', 'up', 'draining');
CREATE INDEX nodes_ended ON nodes (birth) WHERE state IN ('dead', 'left');

CREATE TABLE shards (
  shard integer PRIMARY KEY,
  owner text COLLATE "C",
  epoch bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE settings (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE counters (
  name text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO counters (name, value) VALUES ('shards_revision', 1), ('births', 0);

-- A blob is stored in pieces of one row each, uncompressed because sealed bytes do not compress. The blob's own row is
-- written first, so that the pieces of an unfinished write can be found; deleting it deletes the pieces.
CREATE TABLE blobs (
  id text COLLATE "C" PRIMARY KEY,
  finished boolean NOT NULL DEFAULT false,
  pieces integer NOT NULL DEFAULT 0
);
CREATE INDEX blobs_unfinished ON blobs (id) WHERE NOT finished;

CREATE TABLE blob_pieces (
  blob text COLLATE "C" NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  n integer NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (blob, n)
);
ALTER TABLE blob_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

-- The state value of a snapshot, for preflight, which reads every snapshot: NULL for text that is not JSON, instead of a
-- failed query.
CREATE FUNCTION state_value_1(snapshot text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN snapshot::json -> 'value';
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END
$$;

-- Executes one commit in one call: one round trip, and no transaction that a stopped process could leave open. Each
-- statement sees everything committed before it began, so the second statement reads what the first one locked. The lock
-- on a shard is exclusive among commits. A shard's commits use one connection and therefore rarely wait for it; two
-- concurrent ones are judged one after the other. Verdicts as in the SQLite store: 0 committed, 1 fence, 2 version.
CREATE FUNCTION commit_batch_1(
  p_shard integer[], p_owner text[], p_epoch bigint[],
  a_part integer[], a_address text[], a_kind text[], a_hash integer[], a_shard integer[], a_version bigint[],
  a_chart integer[], a_state text[], a_snapshot text[], a_transitions text[], a_expected bigint[],
  s_part integer[], s_address text[], s_expected bigint[],
  r_part integer[], r_address text[], r_collection text[], r_id text[], r_sort double precision[], r_index0 text[],
  r_index1 text[], r_index2 text[], r_index3 text[], r_open boolean[], r_expires_at double precision[], r_body text[],
  d_part integer[], d_address text[], d_collection text[], d_id text[],
  t_part integer[], t_address text[], t_name text[], t_shard integer[], t_due_at double precision[], t_event text[],
  c_part integer[], c_address text[], c_name text[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts integer[] := array_fill(1, ARRAY[cardinality(p_shard)]);
  at integer;
BEGIN
  FOR at IN
    SELECT w.part FROM unnest(p_shard, p_owner, p_epoch) WITH ORDINALITY AS w (shard, owner, epoch, part)
    JOIN shards AS s ON s.shard = w.shard AND s.owner = w.owner AND s.epoch = w.epoch
    ORDER BY s.shard FOR NO KEY UPDATE OF s
  LOOP
    verdicts[at] := 0;
  END LOOP;

  FOR at IN
    SELECT w.part FROM unnest(a_part || s_part, a_address || s_address, a_expected || s_expected)
      AS w (part, address, expected)
    LEFT JOIN actors AS a ON a.address = w.address
    WHERE coalesce(a.version, 0) <> w.expected
  LOOP
    IF verdicts[at] = 0 THEN verdicts[at] := 2; END IF;
  END LOOP;

  IF cardinality(s_part) > 0 THEN
    DELETE FROM actors AS a USING unnest(s_part, s_address) AS w (part, address)
      WHERE a.address = w.address AND verdicts[w.part] = 0;
    DELETE FROM timers AS t USING unnest(s_part, s_address) AS w (part, address)
      WHERE t.address = w.address AND verdicts[w.part] = 0;
  END IF;

  IF cardinality(a_part) > 0 THEN
    INSERT INTO actors (address, kind, hash, shard, version, chart, state, snapshot, transitions)
      SELECT w.address, w.kind, w.hash, w.shard, w.version, w.chart, w.state, w.snapshot, w.transitions
      FROM unnest(a_part, a_address, a_kind, a_hash, a_shard, a_version, a_chart, a_state, a_snapshot, a_transitions)
        AS w (part, address, kind, hash, shard, version, chart, state, snapshot, transitions)
      WHERE verdicts[w.part] = 0
      ON CONFLICT (address) DO UPDATE SET version = excluded.version, chart = excluded.chart, state = excluded.state,
        snapshot = excluded.snapshot, transitions = excluded.transitions;
  END IF;

  IF cardinality(d_part) > 0 THEN
    DELETE FROM rows AS r USING unnest(d_part, d_address, d_collection, d_id) AS w (part, address, collection, id)
      WHERE r.collection = w.collection AND r.id = w.id AND r.address = w.address AND verdicts[w.part] = 0;
  END IF;

  IF cardinality(r_part) > 0 THEN
    INSERT INTO rows (address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body)
      SELECT w.address, w.collection, w.id, w.sort, w.index0, w.index1, w.index2, w.index3, w.open, w.expires_at, w.body
      FROM unnest(r_part, r_address, r_collection, r_id, r_sort, r_index0, r_index1, r_index2, r_index3, r_open,
          r_expires_at, r_body)
        AS w (part, address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body)
      WHERE verdicts[w.part] = 0
      ON CONFLICT (collection, id, address) DO UPDATE SET sort = excluded.sort, index0 = excluded.index0,
        index1 = excluded.index1, index2 = excluded.index2, index3 = excluded.index3, open = excluded.open,
        expires_at = excluded.expires_at, body = excluded.body;
  END IF;

  IF cardinality(c_part) > 0 THEN
    DELETE FROM timers AS t USING unnest(c_part, c_address, c_name) AS w (part, address, name)
      WHERE t.address = w.address AND t.name = w.name AND verdicts[w.part] = 0;
  END IF;

  IF cardinality(t_part) > 0 THEN
    INSERT INTO timers (address, name, shard, due_at, event)
      SELECT w.address, w.name, w.shard, w.due_at, w.event
      FROM unnest(t_part, t_address, t_name, t_shard, t_due_at, t_event) AS w (part, address, name, shard, due_at, event)
      WHERE verdicts[w.part] = 0
      ON CONFLICT (address, name) DO UPDATE SET due_at = excluded.due_at, event = excluded.event;
  END IF;

  RETURN verdicts;
END
$$;

-- Nodes, shards and settings: each operation is one call and so one transaction. Registrations serialise on the counter
-- of births, so births have no gaps, and of two incarnations of one name the later one ends the earlier. Every change of
-- shards locks the rows in order, compares, raises the epochs, and raises the revision last.
CREATE FUNCTION register_node_1(
  p_incarnation text, p_name text, p_address text, p_operator_url text, p_pid integer, p_host text,
  p_ended_max integer, p_death_prefix text
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  born bigint;
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'births' RETURNING value INTO born;
  UPDATE nodes SET state = 'dead', why = 'replaced' WHERE name = p_name AND state IN ('joining', 'up', 'draining');
  INSERT INTO nodes (birth, incarnation, name, address, operator_url, pid, host)
    VALUES (born, p_incarnation, p_name, p_address, p_operator_url, p_pid, p_host);
  WITH old AS (
    DELETE FROM nodes WHERE state IN ('dead', 'left') AND birth <= (
      SELECT n.birth FROM nodes AS n WHERE n.state IN ('dead', 'left') ORDER BY n.birth DESC LIMIT 1 OFFSET p_ended_max)
    RETURNING incarnation
  )
  DELETE FROM settings AS s USING old WHERE s.name = p_death_prefix || old.incarnation;
  RETURN born;
END
$$;

CREATE FUNCTION heartbeat_1(p_incarnation text, p_reaches text, p_state text, p_ended_max integer)
RETURNS TABLE (now double precision, revision bigint, nodes json) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE nodes AS n SET beat = n.beat + 1, reaches = p_reaches, state = p_state
    WHERE n.incarnation = p_incarnation AND n.state IN ('joining', 'up', 'draining');
  RETURN QUERY
    WITH shown AS (
      SELECT n.* FROM nodes AS n WHERE n.state IN ('joining', 'up', 'draining')
      UNION ALL
      (SELECT n.* FROM nodes AS n WHERE n.state IN ('dead', 'left') ORDER BY n.birth DESC LIMIT p_ended_max)
    )
    SELECT
      floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision,
      (SELECT c.value FROM counters AS c WHERE c.name = 'shards_revision'),
      (SELECT coalesce(json_agg(json_build_object(
        'name', s.name, 'incarnation', s.incarnation, 'birth', s.birth, 'address', s.address,
        'operatorUrl', s.operator_url, 'pid', s.pid, 'host', s.host, 'beat', s.beat, 'reaches', s.reaches::json,
        'state', s.state, 'why', s.why) ORDER BY s.birth), '[]'::json) FROM shown AS s);
END
$$;

CREATE FUNCTION claim_shards_1(claimer text, p_shard integer[], p_owner text[], p_epoch bigint[])
RETURNS TABLE (shard integer, owner text, epoch bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM nodes AS n WHERE n.incarnation = claimer AND n.state = 'up' FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM shards AS s WHERE s.shard = ANY (p_shard) ORDER BY s.shard FOR NO KEY UPDATE;
  RETURN QUERY
    WITH taken AS (
      UPDATE shards AS s SET owner = claimer, epoch = s.epoch + 1
        FROM unnest(p_shard, p_owner, p_epoch) WITH ORDINALITY AS w (shard, owner, epoch, place)
        WHERE s.shard = w.shard AND s.owner IS NOT DISTINCT FROM w.owner AND s.epoch = w.epoch
          AND (s.owner IS NULL OR s.owner = claimer OR NOT EXISTS (
            SELECT FROM nodes AS n WHERE n.incarnation = s.owner AND n.state IN ('joining', 'up', 'draining')))
        RETURNING s.shard, s.owner, s.epoch, w.place
    )
    SELECT t.shard, t.owner, t.epoch FROM taken AS t ORDER BY t.place;
  IF FOUND THEN UPDATE counters SET value = value + 1 WHERE name = 'shards_revision'; END IF;
END
$$;

CREATE FUNCTION give_shard_1(p_shard integer, p_owner text, p_epoch bigint, receiver text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  given bigint;
BEGIN
  PERFORM 1 FROM nodes AS n WHERE n.incarnation = receiver AND n.state = 'up' FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE shards AS s SET owner = receiver, epoch = s.epoch + 1
    WHERE s.shard = p_shard AND s.owner = p_owner AND s.epoch = p_epoch
    RETURNING s.epoch INTO given;
  IF FOUND THEN UPDATE counters SET value = value + 1 WHERE name = 'shards_revision'; END IF;
  RETURN given;
END
$$;

CREATE FUNCTION setting_1(p_name text, value_if_absent text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO settings (name, value) VALUES (p_name, value_if_absent) ON CONFLICT (name) DO NOTHING;
  RETURN (SELECT s.value FROM settings AS s WHERE s.name = p_name);
END
$$;
`;
