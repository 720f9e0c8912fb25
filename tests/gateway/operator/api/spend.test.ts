import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rankOf, spendDayCollection } from '../../../../actors/account/spend-day.ts';
import { usageCollection } from '../../../../actors/key/usage.ts';
import { spendRoutes } from '../../../../gateway/operator/api/spend.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort } from '../port.ts';
import { StoredRows } from '../stored-rows.ts';

const it = bounded(test);
const TODAY = Date.UTC(2026, 10, 28);
const DAY_MS = 24 * 3_600_000;

it('spend by account, model and day are the sums of the keys; the dearest accounts of a day are first', async () => {
  const rows = new StoredRows();
  const use = (account: string, model: string, day: number, usage: string): void => {
    const row = { account, key: `key:${account}/key_1`, model, endpoint: 'ep_1', day, requests: 2, usage };
    rows.put('usage', usageCollection, row.key, `${day} ${model}`, row);
  };
  for (let n = 1; n <= 60; n++) {
    const account = `acct_${String(n).padStart(2, '0')}`;
    use(account, 'sim/fast', TODAY, `0.0${n + 10}`);
    const rank = rankOf(`0.0${n + 10}`);
    rows.put('spend-day', spendDayCollection, `account:${account}`, '1', { account, day: TODAY, rank });
  }
  use('acct_60', 'sim/slow', TODAY, '0.5');
  use('acct_60', 'sim/slow', TODAY - DAY_MS, '3');
  const port = await openPort(spendRoutes);
  port.cluster = clusterOf({ rows, now: () => TODAY + 5 });
  const spend = async (query: string) => {
    const answer = await answerTo(port, 'GET', `/api/spend?${query}`);
    assert.is(answer.slice(0, 3), '200', answer);
    const { data } = JSON.parse(answer.slice(4));
    return data.map(({ name, requests, charged }: Readonly<Record<string, unknown>>) => [name, requests, charged]);
  };
  assert.equal(await spend('by=account&limit=2'), [
    ['acct_60', 4, '0.57'],
    ['acct_59', 2, '0.069'],
  ]);
  assert.equal(await spend('by=model&account=acct_60'), [
    ['sim/slow', 2, '0.5'],
    ['sim/fast', 2, '0.07'],
  ]);
  assert.equal(await spend('by=day&account=acct_60'), [
    ['2026-11-28', 4, '0.57'],
    ['2026-11-27', 2, '3'],
  ]);
  assert.equal((await spend('by=model')).length, 2);
  assert.equal(await spend('by=day&from=2026-11-27&to=2026-11-27'), [['2026-11-27', 2, '3']]);
  assert.match(await answerTo(port, 'GET', '/api/spend?by=account&day=2026-01-01'), /^400 .*day/);
  assert.match(await answerTo(port, 'GET', '/api/spend?by=day&from=2020-01-01'), /^400 .*from/);
  port.close();
});

test.run();
