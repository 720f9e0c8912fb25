import { type Queries, QueryRefused, Semaphore } from '../../../actors/runtime/index.ts';
import { OperatorFault } from '../http/operator-route.ts';

/** Queries of one node that run or wait; each may read for seconds. */
const WAITING_MAX = 4;

/** One query at a time; further ones wait, and too many are refused. */
export class BoundedQueries {
  readonly #queries: Queries;
  readonly #turns = new Semaphore(1);
  #waiting = 0;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Throws 400 for a query that may not run or that the store refuses, 429 while others wait. */
  async run(text: string) {
    if (this.#waiting === WAITING_MAX) throw new OperatorFault(429, 'busy', 'other queries run; try again');
    this.#waiting++;
    try {
      return await this.#turns.take(() => this.#queries.run(text));
    } catch (error) {
      if (error instanceof QueryRefused) throw new OperatorFault(400, 'invalid_request', error.message, 'query');
      throw error;
    } finally {
      this.#waiting--;
    }
  }
}
