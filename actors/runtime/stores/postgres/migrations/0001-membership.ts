/** Part of the first schema: nodes, shards, settings, and the events of each change. */
import { CLUSTER_EVENTS_MAX, EVENTS_LOOKED_AT, ONE_MOVE_MS } from '../../../ports/store.ts';

export const membershipFunctions = `-- Nodes, shards and settings: each operation is one call and so one transaction. Registrations serialise on the counter
-- of births, so births have no gaps, and of two incarnations of one name the later one ends the earlier. Every change of
-- shards locks the rows in order, compares, raises the epochs, raises the revision, and writes its event last.
--
-- Events are numbered by a counter: its row lock lets readers see them in the order of their numbers.
CREATE FUNCTION note_node_1(
  p_type text, p_node text, p_incarnation text, p_why text DEFAULT NULL,
  p_last_beat_at double precision DEFAULT NULL, p_suspected_at double precision DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  numbered bigint;
  now double precision;
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'cluster_events' RETURNING value INTO numbered;
  now := store_time_1();
  INSERT INTO cluster_events (n, at, began_at, type, node, incarnation, why, last_beat_at, suspected_at)
    VALUES (numbered, now, now, p_type, p_node, p_incarnation, p_why, p_last_beat_at, p_suspected_at);
  DELETE FROM cluster_events WHERE n <= numbered - ${CLUSTER_EVENTS_MAX};
END
$$;

-- Adds to the event of the same move, if that began a short time ago.
CREATE FUNCTION note_move_1(p_type text, p_incarnation text, p_from text, p_moves jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  numbered bigint;
  known bigint;
  now double precision;
  ended double precision;
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'cluster_events' RETURNING value INTO numbered;
  now := store_time_1();
  ended := CASE WHEN p_type = 'claimed' THEN (SELECT v.ended_at FROM nodes AS v WHERE v.incarnation = p_from) END;
  SELECT e.n INTO known FROM cluster_events AS e
    WHERE e.n > numbered - ${EVENTS_LOOKED_AT} AND e.type = p_type AND e.incarnation = p_incarnation
      AND e.from_incarnation IS NOT DISTINCT FROM p_from AND e.began_at >= now - ${ONE_MOVE_MS}
    ORDER BY e.n DESC LIMIT 1;
  IF FOUND THEN
    UPDATE cluster_events SET at = now, moves = moves || p_moves, took_ms = now - ended WHERE n = known;
    UPDATE counters SET value = value - 1 WHERE name = 'cluster_events';
    RETURN;
  END IF;
  INSERT INTO cluster_events (n, at, began_at, type, node, incarnation, moves, from_node, from_incarnation, took_ms)
    SELECT numbered, now, now, p_type, v.name, p_incarnation, p_moves,
      coalesce((SELECT f.name FROM nodes AS f WHERE f.incarnation = p_from), p_from), p_from, now - ended
    FROM nodes AS v WHERE v.incarnation = p_incarnation;
  DELETE FROM cluster_events WHERE n <= numbered - ${CLUSTER_EVENTS_MAX};
END
$$;

CREATE FUNCTION register_node_1(
  p_incarnation text, p_name text, p_address text, p_operator_url text, p_pid integer, p_host text,
  p_ended_max integer, p_death_prefix text
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  born bigint;
  replaced record;
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'births' RETURNING value INTO born;
  FOR replaced IN
    UPDATE nodes SET state = 'dead', why = 'replaced', ended_at = store_time_1()
      WHERE name = p_name AND state IN ('joining', 'up', 'draining') RETURNING incarnation, beat_at
  LOOP
    PERFORM note_node_1('died', p_name, replaced.incarnation, 'replaced', replaced.beat_at);
  END LOOP;
  INSERT INTO nodes (birth, incarnation, name, address, operator_url, pid, host)
    VALUES (born, p_incarnation, p_name, p_address, p_operator_url, p_pid, p_host);
  PERFORM note_node_1('joined', p_name, p_incarnation);
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
  UPDATE nodes AS n SET beat = n.beat + 1, beat_at = store_time_1(), reaches = p_reaches, state = p_state
    WHERE n.incarnation = p_incarnation AND n.state IN ('joining', 'up', 'draining');
  RETURN QUERY
    WITH shown AS (
      SELECT n.* FROM nodes AS n WHERE n.state IN ('joining', 'up', 'draining')
      UNION ALL
      (SELECT n.* FROM nodes AS n WHERE n.state IN ('dead', 'left') ORDER BY n.birth DESC LIMIT p_ended_max)
    )
    SELECT
      store_time_1(),
      (SELECT c.value FROM counters AS c WHERE c.name = 'shards_revision'),
      (SELECT coalesce(json_agg(json_build_object(
        'name', s.name, 'incarnation', s.incarnation, 'birth', s.birth, 'address', s.address,
        'operatorUrl', s.operator_url, 'pid', s.pid, 'host', s.host, 'beat', s.beat, 'beatAt', s.beat_at, 'reaches', s.reaches::json,
        'state', s.state, 'why', s.why) ORDER BY s.birth), '[]'::json) FROM shown AS s);
END
$$;

CREATE FUNCTION mark_dead_1(p_incarnation text, p_beat bigint, p_why text, p_suspected_at double precision)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  ended record;
BEGIN
  UPDATE nodes SET state = 'dead', why = p_why, ended_at = store_time_1()
    WHERE incarnation = p_incarnation AND beat = p_beat AND state IN ('joining', 'up', 'draining')
    RETURNING name, beat_at INTO ended;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM note_node_1('died', ended.name, p_incarnation, p_why, ended.beat_at, p_suspected_at);
  RETURN true;
END
$$;

CREATE FUNCTION leave_1(p_incarnation text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended text;
BEGIN
  UPDATE nodes SET state = 'left', why = 'left', ended_at = store_time_1()
    WHERE incarnation = p_incarnation AND state IN ('joining', 'up', 'draining') RETURNING name INTO ended;
  IF FOUND THEN PERFORM note_node_1('left', ended, p_incarnation); END IF;
END
$$;

CREATE FUNCTION claim_shards_1(claimer text, p_shard integer[], p_owner text[], p_epoch bigint[])
RETURNS TABLE (shard integer, owner text, epoch bigint) LANGUAGE plpgsql AS $$
DECLARE
  claimed record;
  holders text[] := '{}';
  moves jsonb := '[]';
BEGIN
  PERFORM 1 FROM nodes AS n WHERE n.incarnation = claimer AND n.state = 'up' FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM shards AS s WHERE s.shard = ANY (p_shard) ORDER BY s.shard FOR NO KEY UPDATE;
  FOR claimed IN
    WITH taken AS (
      UPDATE shards AS s SET owner = claimer, epoch = s.epoch + 1
        FROM unnest(p_shard, p_owner, p_epoch) WITH ORDINALITY AS w (shard, owner, epoch, place)
        WHERE s.shard = w.shard AND s.owner IS NOT DISTINCT FROM w.owner AND s.epoch = w.epoch
          AND (s.owner IS NULL OR s.owner = claimer OR NOT EXISTS (
            SELECT FROM nodes AS n WHERE n.incarnation = s.owner AND n.state IN ('joining', 'up', 'draining')))
        RETURNING s.shard, s.epoch, w.owner AS holder, w.place
    )
    SELECT t.shard, t.epoch, t.holder FROM taken AS t ORDER BY t.place
  LOOP
    shard := claimed.shard; owner := claimer; epoch := claimed.epoch;
    holders := array_append(holders, claimed.holder);
    moves := moves || jsonb_build_array(jsonb_build_array(shard, epoch));
    RETURN NEXT;
  END LOOP;
  IF cardinality(holders) = 0 THEN RETURN; END IF;
  UPDATE counters SET value = value + 1 WHERE name = 'shards_revision';
  PERFORM note_move_1('claimed', claimer, h.holder, h.moves)
    FROM (SELECT w.holder, jsonb_agg(moves -> (w.place::integer - 1) ORDER BY w.place) AS moves
      FROM unnest(holders) WITH ORDINALITY AS w (holder, place) GROUP BY w.holder) AS h;
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
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE counters SET value = value + 1 WHERE name = 'shards_revision';
  PERFORM note_move_1('handed_over', receiver, p_owner, jsonb_build_array(jsonb_build_array(p_shard, given)));
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
