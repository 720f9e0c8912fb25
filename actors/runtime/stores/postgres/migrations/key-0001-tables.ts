/** The first schema of the key database, which is another one than the store's. */
export const keyTables = `-- compatible: the table of sealing keys
CREATE TABLE sealing_keys (
  hour bigint PRIMARY KEY,
  secret bytea NOT NULL
);
`;
