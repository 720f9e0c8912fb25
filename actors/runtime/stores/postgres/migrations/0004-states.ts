/** What `preflight` asks of every snapshot; one that is no JSON has no value, and must not end the question. */
export const states = `-- compatible: the state value of a snapshot
CREATE FUNCTION state_value_1(snapshot text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN snapshot::json -> 'value';
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END
$$;
`;
