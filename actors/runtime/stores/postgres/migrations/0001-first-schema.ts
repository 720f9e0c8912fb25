import { commitFunctions } from './0001-commit.ts';
import { membershipFunctions } from './0001-membership.ts';

/**
 * The first schema: the tables of the SQLite store in the types of PostgreSQL; the operations that are one call each are
 * in the files beside it. Texts compare by their bytes (collation C), as there; times and sort keys are doubles, like JavaScript's
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
  owner text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  since double precision NOT NULL,
  snapshot text NOT NULL,
  transitions text NOT NULL
) WITH (fillfactor = 60, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX actors_by_kind ON actors (kind, shard, address);
CREATE INDEX actors_by_state ON actors (kind, state, since, address) INCLUDE (shard);
CREATE INDEX actors_by_owner ON actors (owner, kind, state, since, address) INCLUDE (shard);

-- Kept in the commits. One row for each shard, which a commit has locked already, so that commits never wait here.
CREATE TABLE actor_counts (
  kind text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  chart integer NOT NULL,
  shard integer NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (kind, state, chart, shard)
) WITH (fillfactor = 50);

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
  beat_at double precision,
  reaches text NOT NULL DEFAULT '[]',
  state text COLLATE "C" NOT NULL DEFAULT 'joining',
  why text,
  ended_at double precision
) WITH (fillfactor = 50);
CREATE INDEX nodes_alive ON nodes (birth) WHERE state IN ('joining', 'up', 'draining');
CREATE INDEX nodes_ended ON nodes (birth) WHERE state IN ('dead', 'left');

CREATE TABLE shards (
  shard integer PRIMARY KEY,
  owner text COLLATE "C",
  epoch bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE cluster_events (
  n bigint PRIMARY KEY,
  at double precision NOT NULL,
  began_at double precision NOT NULL,
  type text COLLATE "C" NOT NULL,
  node text NOT NULL,
  incarnation text COLLATE "C" NOT NULL,
  moves jsonb,
  from_node text,
  from_incarnation text COLLATE "C",
  took_ms double precision,
  why text,
  last_beat_at double precision,
  suspected_at double precision
);

CREATE TABLE settings (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE counters (
  name text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO counters (name, value) VALUES ('shards_revision', 1), ('births', 0), ('cluster_events', 0);

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

-- Store time, ms.
CREATE FUNCTION store_time_1() RETURNS double precision LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision
$$;

${commitFunctions}
${membershipFunctions}`;
