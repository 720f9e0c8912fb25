/** Used by `preflight` on every snapshot; returns NULL for text that is not JSON instead of failing the query. */
export const states = `-- compatible: the state value of a snapshot
CREATE FUNCTION state_value_1(snapshot text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN snapshot::json -> 'value';
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END
$$;
`;
