import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { funded, send, ask: answered } = await openApi(test, openCluster);

const ask = (path: string, method = 'GET', key?: string | null): Promise<Response> =>
  send(path, key === undefined ? { method } : { method, key });

async function refused(path: string): Promise<string> {
  const { status, error } = await answered(path);
  return `${status} ${error.metadata.error_type}`;
}

it('the activity of an account without a completed day is empty, and a wrong parameter is 400 (rule K52)', async () => {
  assert.equal(await (await ask('/activity')).json(), { data: [] });
  for (const query of ['date=today', 'api_key_hash=1', 'group_by=model', 'user_id=', 'workspace_id=%20']) {
    assert.is(await refused(`/activity?${query}`), '400 invalid_request', query);
  }
});

it('a statement has every entry of its month between the balances of its edges', async () => {
  const spent = await send('/chat/completions', {
    body: { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] },
  });
  const { id } = (await spent.json()) as { id: string };
  const list = (await (await ask('/statements')).json()) as { data: { month: string; complete: boolean }[] };
  const [{ month, complete }] = list.data as [{ month: string; complete: boolean }];
  assert.not(complete);
  const answer = await ask(`/statements/${month}`);
  assert.is(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.is(answer.headers.get('content-disposition'), `attachment; filename="statement-${month}.csv"`);
  const rows = (await answer.text())
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','));
  assert.equal(
    rows.map(([, , type]) => type),
    ['type', 'opening', 'deposit', 'charge', 'closing'],
  );
  const [, opening, deposit, charge, closing] = rows as string[][];
  assert.equal([opening?.[4], deposit?.[3], deposit?.[4], charge?.[6]], ['0', '10', '10', id]);
  assert.match(charge?.[3] ?? '', /^-0\.\d+$/);
  assert.is(closing?.[4], charge?.[4]);
  assert.is(await refused('/statements/2001-01'), '404 not_found');
  for (const wrong of ['2026-13', 'last', '2026-1'])
    assert.is(await refused(`/statements/${wrong}`), '400 invalid_request');
});

it('the retired way to buy credits answers 410, with a key and without (rule K50)', async () => {
  for (const key of [funded.key, null]) {
    const answer = await ask('/credits/coinbase', 'POST', key);
    assert.is(answer.status, 410);
    const { error } = (await answer.json()) as { error: { code: number; metadata: object } };
    assert.equal([error.code, error.metadata], [410, {}]);
  }
});

test.run();
