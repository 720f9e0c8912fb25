/** Part of the first schema: the commit. */
export const commitFunctions = `-- Executes one commit in one call: one round trip, and no transaction that a stopped process could leave open. Each
-- statement sees everything committed before it began, so the second statement reads what the first one locked. The lock
-- on a shard is exclusive among commits. A shard's commits use one connection and therefore rarely wait for it; two
-- concurrent ones are judged one after the other. Verdicts as in the SQLite store: 0 committed, 1 fence, 2 version. The
-- look-up of the versions also finds the actors whose state or chart changes: most commits have none.
CREATE FUNCTION commit_batch_1(
  p_shard integer[], p_owner text[], p_epoch bigint[],
  a_part integer[], a_address text[], a_kind text[], a_hash integer[], a_shard integer[], a_version bigint[],
  a_chart integer[], a_state text[], a_snapshot text[], a_transitions text[], a_expected bigint[],
  s_part integer[], s_address text[], s_expected bigint[],
  r_part integer[], r_address text[], r_collection text[], r_id text[], r_sort double precision[], r_index0 text[],
  r_index1 text[], r_index2 text[], r_index3 text[], r_open boolean[], r_expires_at double precision[], r_body text[],
  d_part integer[], d_address text[], d_collection text[], d_id text[],
  m_part integer[], m_address text[], m_collection text[], m_rows_max integer[],
  t_part integer[], t_address text[], t_name text[], t_shard integer[], t_due_at double precision[], t_event text[],
  c_part integer[], c_address text[], c_name text[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts integer[] := array_fill(1, ARRAY[cardinality(p_shard)]);
  at integer;
  found record;
  left_kind text[] := '{}'; left_state text[] := '{}'; left_chart integer[] := '{}'; left_part integer[] := '{}';
  came integer[] := '{}';
BEGIN
  FOR at IN
    SELECT w.part FROM unnest(p_shard, p_owner, p_epoch) WITH ORDINALITY AS w (shard, owner, epoch, part)
    JOIN shards AS s ON s.shard = w.shard AND s.owner = w.owner AND s.epoch = w.epoch
    ORDER BY s.shard FOR NO KEY UPDATE OF s
  LOOP
    verdicts[at] := 0;
  END LOOP;

  FOR found IN
    SELECT w.part, w.place::integer AS place, w.kind, a.state, a.chart, coalesce(a.version, 0) <> w.expected AS stale
    FROM unnest(a_part, a_address, a_expected, a_kind, a_state, a_chart) WITH ORDINALITY
      AS w (part, address, expected, kind, state, chart, place)
    LEFT JOIN actors AS a ON a.address = w.address
    WHERE coalesce(a.version, 0) <> w.expected OR a.state IS DISTINCT FROM w.state OR a.chart IS DISTINCT FROM w.chart
      OR w.address = ANY (s_address)
  LOOP
    IF found.stale AND verdicts[found.part] = 0 THEN verdicts[found.part] := 2; END IF;
    came := came || found.place;
    IF found.state IS NOT NULL AND NOT a_address[found.place] = ANY (s_address) THEN
      left_kind := left_kind || found.kind; left_state := left_state || found.state;
      left_chart := left_chart || found.chart; left_part := left_part || found.part;
    END IF;
  END LOOP;

  IF cardinality(s_part) > 0 THEN
    FOR found IN
      SELECT w.part, a.kind, a.state, a.chart, coalesce(a.version, 0) <> w.expected AS stale
      FROM unnest(s_part, s_address, s_expected) AS w (part, address, expected)
      LEFT JOIN actors AS a ON a.address = w.address
    LOOP
      IF found.stale AND verdicts[found.part] = 0 THEN verdicts[found.part] := 2; END IF;
      IF found.state IS NOT NULL THEN
        left_kind := left_kind || found.kind; left_state := left_state || found.state;
        left_chart := left_chart || found.chart; left_part := left_part || found.part;
      END IF;
    END LOOP;
    DELETE FROM actors AS a USING unnest(s_part, s_address) AS w (part, address)
      WHERE a.address = w.address AND verdicts[w.part] = 0;
    DELETE FROM timers AS t USING unnest(s_part, s_address) AS w (part, address)
      WHERE t.address = w.address AND verdicts[w.part] = 0;
  END IF;

  IF cardinality(a_part) > 0 THEN
    INSERT INTO actors (address, kind, hash, shard, version, chart, owner, state, since, snapshot, transitions)
      SELECT w.address, w.kind, w.hash, w.shard, w.version, w.chart, split_part(split_part(w.address, ':', 2), '/', 1),
        w.state, store_time_1(), w.snapshot, w.transitions
      FROM unnest(a_part, a_address, a_kind, a_hash, a_shard, a_version, a_chart, a_state, a_snapshot, a_transitions)
        AS w (part, address, kind, hash, shard, version, chart, state, snapshot, transitions)
      WHERE verdicts[w.part] = 0
      ON CONFLICT (address) DO UPDATE SET version = excluded.version, chart = excluded.chart, state = excluded.state,
        since = CASE WHEN actors.state = excluded.state THEN actors.since ELSE excluded.since END,
        snapshot = excluded.snapshot, transitions = excluded.transitions;
  END IF;

  IF cardinality(came) + cardinality(left_part) > 0 THEN
    INSERT INTO actor_counts (kind, state, chart, shard, count)
      SELECT c.kind, c.state, c.chart, p_shard[c.part], sum(c.by) FROM (
        SELECT a_kind[w.place] AS kind, a_state[w.place] AS state, a_chart[w.place] AS chart, a_part[w.place] AS part,
          1 AS by FROM unnest(came) AS w (place)
        UNION ALL
        SELECT w.kind, w.state, w.chart, w.part, -1 FROM unnest(left_kind, left_state, left_chart, left_part)
          AS w (kind, state, chart, part)
      ) AS c
      WHERE verdicts[c.part] = 0 GROUP BY c.kind, c.state, c.chart, c.part HAVING sum(c.by) <> 0
      ON CONFLICT (kind, state, chart, shard) DO UPDATE SET count = actor_counts.count + excluded.count;
  END IF;

  IF cardinality(d_part) > 0 THEN
    DELETE FROM rows AS r USING unnest(d_part, d_address, d_collection, d_id) AS w (part, address, collection, id)
      WHERE r.collection = w.collection AND r.id = w.id AND r.address = w.address AND verdicts[w.part] = 0;
  END IF;

  FOR at IN SELECT generate_subscripts(m_part, 1) LOOP
    CONTINUE WHEN verdicts[m_part[at]] <> 0;
    FOR found IN SELECT o.sort, o.id FROM rows AS o WHERE o.address = m_address[at] AND o.collection = m_collection[at]
      ORDER BY o.sort DESC, o.id DESC LIMIT 1 OFFSET m_rows_max[at]
    LOOP
      DELETE FROM rows AS r WHERE r.address = m_address[at] AND r.collection = m_collection[at]
        AND (r.sort, r.id) <= (found.sort, found.id);
    END LOOP;
  END LOOP;

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
`;
