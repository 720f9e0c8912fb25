/**
 * The runtime's own collections have names that begin with `$`; what is open in them is looked up by their first
 * column. The index holds these rows alone: no row of a kind pays for it.
 */
export const openRowsOfTheRuntime = `-- compatible: finds the open rows of the runtime's own collections
CREATE INDEX rows_open_of_runtime ON rows (collection, index0, sort, id)
  WHERE open = 1 AND collection >= '$' AND collection < '%';
`;
