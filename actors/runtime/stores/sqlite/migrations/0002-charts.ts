/** `census` counts by chart version as well, from the index alone: a node asks it at every start. */
export const charts = `-- compatible: the index of states names the chart version too
DROP INDEX actors_by_state;
CREATE INDEX actors_by_state ON actors (kind, state, chart);
`;
