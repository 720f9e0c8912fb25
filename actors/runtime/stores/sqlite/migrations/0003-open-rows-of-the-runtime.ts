/**
 * Names of the runtime's own collections begin with `$`; their open rows are looked up by their first column. The index
 * contains only these rows, so the rows of kinds cost nothing.
 */
export const openRowsOfTheRuntime = `-- compatible: finds the open rows of the runtime's own collections
CREATE INDEX rows_open_of_runtime ON rows (collection, index0, sort, id)
  WHERE open = 1 AND collection >= '$' AND collection < '%';
`;
