/**
 * The first schema. `rows` and `actors` are rowid tables on purpose: a request's rows are appended to the newest pages
 * whatever their ids, and only small index entries scatter. No index contains a column that a settle changes, except
 * the partial ones of open and expiring rows. Each list of actors has its order as an index that contains all it reads;
 * `actor_counts` is kept in the commits. Names of the runtime's own collections begin with `$`; `rows_open_of_runtime` finds their
 * open rows by their first column and costs the rows of kinds nothing.
 */
export const firstSchema = `-- compatible: tables of actors, rows, timers, membership and settings
CREATE TABLE actors (
  n INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  hash INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  version INTEGER NOT NULL,
  chart INTEGER NOT NULL,
  owner TEXT NOT NULL,
  state TEXT NOT NULL,
  since INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  transitions TEXT NOT NULL
);
CREATE INDEX actors_by_kind ON actors (kind, shard, address);
CREATE INDEX actors_by_state ON actors (kind, state, since, address, shard);
CREATE INDEX actors_by_owner ON actors (owner, kind, state, since, address, shard);

CREATE TABLE actor_counts (
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  chart INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, state, chart)
) WITHOUT ROWID;

CREATE TABLE rows (
  n INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  address TEXT NOT NULL,
  sort NUMERIC NOT NULL,
  index0 TEXT,
  index1 TEXT,
  index2 TEXT,
  index3 TEXT,
  open INTEGER NOT NULL,
  expires_at INTEGER,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX rows_by_id ON rows (collection, id, address);
CREATE INDEX rows_by_address ON rows (address, collection, sort, id);
CREATE INDEX rows_open ON rows (address, collection, sort, id) WHERE open = 1;
CREATE INDEX rows_open_of_runtime ON rows (collection, index0, sort, id)
  WHERE open = 1 AND collection >= '$' AND collection < '%';
CREATE INDEX rows_expiring ON rows (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX rows_by_index0 ON rows (collection, index0, sort, id) WHERE index0 IS NOT NULL;
CREATE INDEX rows_by_index1 ON rows (collection, index1, sort, id) WHERE index1 IS NOT NULL;
CREATE INDEX rows_by_index2 ON rows (collection, index2, sort, id) WHERE index2 IS NOT NULL;
CREATE INDEX rows_by_index3 ON rows (collection, index3, sort, id) WHERE index3 IS NOT NULL;

CREATE TABLE timers (
  address TEXT NOT NULL,
  name TEXT NOT NULL,
  shard INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (address, name)
) WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due_at, address, name, shard);

CREATE TABLE nodes (
  birth INTEGER PRIMARY KEY,
  incarnation TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  operator_url TEXT NOT NULL,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  beat INTEGER NOT NULL DEFAULT 0,
  beat_at INTEGER,
  reaches TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL DEFAULT 'joining',
  why TEXT,
  ended_at INTEGER
);
CREATE INDEX nodes_alive ON nodes (birth) WHERE state IN ('joining', 'up', 'draining');

CREATE TABLE shards (
  shard INTEGER PRIMARY KEY,
  owner TEXT,
  epoch INTEGER NOT NULL
);

CREATE TABLE cluster_events (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  type TEXT NOT NULL,
  node TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  moves TEXT,
  from_node TEXT,
  from_incarnation TEXT,
  took_ms INTEGER,
  why TEXT,
  last_beat_at INTEGER,
  suspected_at INTEGER
);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('shards_revision', 1);
`;
