/** Every clause of the Store port as tests. One suite, run by each implementation from its own test file. */
import { test } from 'uvu';
import { bounded } from '../support/bounded.ts';
import type { Clause, OpenedStore } from './store/clause.ts';
import { commitClauses } from './store/commit-clauses.ts';
import { concurrencyClauses } from './store/concurrency-clauses.ts';
import { listClauses } from './store/list-clauses.ts';
import { membershipClauses } from './store/membership-clauses.ts';
import { rowClauses } from './store/row-clauses.ts';
import { timerClauses } from './store/timer-clauses.ts';

/** Registers the whole suite under `name`; the caller runs it with `test.run()`. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  const it = bounded(test);
  const clause: Clause = (title, run) =>
    it(`${name}: ${title}`, async () => {
      const opened = await open();
      try {
        await run(opened.store, opened);
      } finally {
        await opened.close();
      }
    });
  commitClauses(clause);
  concurrencyClauses(clause);
  rowClauses(clause);
  timerClauses(clause);
  listClauses(clause);
  membershipClauses(clause);
}
