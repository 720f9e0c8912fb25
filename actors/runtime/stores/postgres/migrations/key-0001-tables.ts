/** The first schema of the key database, which is separate from the store's. */
export const keyTables = `-- compatible: the table of sealing keys
CREATE TABLE sealing_keys (
  hour bigint PRIMARY KEY,
  secret bytea NOT NULL
);
`;
