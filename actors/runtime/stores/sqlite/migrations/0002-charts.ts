/** `actorCounts` groups by chart version as well and reads this index only: a node calls it at every start. */
export const charts = `-- compatible: the index of states names the chart version too
DROP INDEX actors_by_state;
CREATE INDEX actors_by_state ON actors (kind, state, chart);
`;
