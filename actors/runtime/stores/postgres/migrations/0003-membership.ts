/**
 * Nodes, shards and settings (stored as `facts`). Each operation is one call and so one transaction. Registrations
 * serialise on the counter of births, so births have no gaps, and of two incarnations of one name the later one ends
 * the earlier. Every change of shards locks the rows in order, compares, raises the epochs, and raises the revision
 * last.
 */
export const membership = `-- compatible: membership and ownership, one call each
INSERT INTO counters (name, value) VALUES ('births', 0);

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
  DELETE FROM facts AS f USING old WHERE f.name = p_death_prefix || old.incarnation;
  RETURN born;
END
$$;

CREATE FUNCTION heartbeat_1(p_incarnation text, p_hears text, p_state text, p_ended_max integer)
RETURNS TABLE (now double precision, revision bigint, nodes json) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE nodes AS n SET beat = n.beat + 1, hears = p_hears, state = p_state
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
        'operatorUrl', s.operator_url, 'pid', s.pid, 'host', s.host, 'beat', s.beat, 'hears', s.hears::json,
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

CREATE FUNCTION settle_fact_1(p_name text, value_if_absent text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO facts (name, value) VALUES (p_name, value_if_absent) ON CONFLICT (name) DO NOTHING;
  RETURN (SELECT f.value FROM facts AS f WHERE f.name = p_name);
END
$$;
`;
