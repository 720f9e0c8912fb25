import type { Clock } from '../../ports/clock.ts';
import type { Queries, RowsView } from '../query/query.ts';
import type { StoreChoice } from '../store-choice.ts';

/** Queries over the views of the chosen store; loads only that store's code, and that with the first query. */
export function openQueries(choice: StoreChoice, views: readonly RowsView[], clock: Clock): Queries {
  return {
    run: async (text) => {
      const queries =
        choice.kind === 'sqlite'
          ? (await import('../query/sqlite-queries.ts')).sqliteQueries(choice.path, views, clock)
          : (await import('../query/postgres-queries.ts')).postgresQueries(choice, views, clock);
      return queries.run(text);
    },
  };
}
