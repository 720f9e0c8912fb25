import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listRefused, noteRefused, refusalLogKind } from '../../../actors/refusal-log/refusal-log.ts';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { START } from '../../support/model/words.ts';

const it = bounded(test);

const refused = (at: number): RefusedRequest => ({
  ...{ at, generation: `gen-${at}`, route: 'POST /chat/completions', status: 404, type: 'not_found' },
  ...{ message: 'No such model', failure: null, key: 'key:a/key_1', node: 'n1' },
});

const LOG = 'refusal-log:a/newest';

it('the twenty newest refused requests of an account are kept, from every node, however they are reported (rule N40)', async () => {
  const actors = new PureActors([refusalLogKind], START);
  const cluster = { tell: (to: string, event: object) => void actors.tell(to, event as never) };
  const report = (from: number, count: number): void =>
    noteRefused(
      cluster as never,
      'account:a',
      Array.from({ length: count }, (_, nth) => refused(from + nth)),
    );
  report(1, 1);
  report(2, 5);
  const times = () =>
    actors
      .list<RefusedRequest>(LOG, 'refusal-log')
      .map(({ at }) => at)
      .sort((a, b) => a - b);
  assert.equal(times(), [1, 2, 3, 4, 5, 6]);
  report(7, 16);
  assert.equal(
    times(),
    Array.from({ length: 20 }, (_, nth) => nth + 3),
  );
  report(100, 45);
  assert.equal(
    times(),
    Array.from({ length: 20 }, (_, nth) => nth + 125),
  );
  report(200, 1);
  assert.equal(times().slice(-2), [144, 200]);
  assert.is(times().length, 20);
});

it('they are listed newest first, of their account alone', async () => {
  const asked: object[] = [];
  const rows = async (query: object) => {
    asked.push(query);
    return [refused(2), refused(1)].map((one) => ({ body: JSON.stringify(one) }) as never);
  };
  assert.equal(
    (await listRefused({ rows }, 'account:a')).map(({ at }) => at),
    [2, 1],
  );
  assert.equal(asked, [{ collection: 'refusal-log', address: LOG, order: 'descending', limit: 20 }]);
});

test.run();
