/**
 * The first schema: the tables of the SQLite store in the types of PostgreSQL. Texts compare by their bytes (collation
 * C), as there; times and sort keys are doubles, like JavaScript's numbers. Rows up to 8 KiB stay uncompressed in their
 * page, and pages keep free space, so that an update stays on its page and changes no index. Stored names keep older
 * words: `trail` holds an actor's transition log, `facts` the settings, `hears` the peers that a node reaches.
 */
export const tables = `-- compatible: tables of actors, rows, timers, membership and facts
CREATE TABLE actors (
  address text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  hash integer NOT NULL,
  shard integer NOT NULL,
  version bigint NOT NULL,
  chart integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  snapshot text NOT NULL,
  trail text NOT NULL
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
  hears text NOT NULL DEFAULT '[]',
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

CREATE TABLE facts (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE counters (
  name text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO counters (name, value) VALUES ('shards_revision', 1);
`;
