/** A key that is revoked, or moved to another workspace, while its batch runs. (rule B23) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { type Asked, openApi } from '../client.ts';
import { type Batch, chat, clientOf, linesOf, submission } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
/** Far more than run before the key changes: eight at once, each for more than a second. */
const LINES = 160;
const LINE_MS = 1_500;

const { cluster } = await openApi(test, openCluster);

const CHANGES: Readonly<Record<string, { readonly isAlive: boolean; readonly change: Asked }>> = {
  revoked: { isAlive: false, change: { method: 'DELETE' } },
  'moved to another workspace': { isAlive: true, change: { method: 'PATCH', body: { workspace_id: 'team' } } },
};

for (const [what, { isAlive, change }] of Object.entries(CHANGES)) {
  it(`a batch whose key is ${what}: what runs finishes and is charged, the rest is 401, unsent and uncharged (rule B23)`, async () => {
    const { account, key } = await cluster.fund('10');
    const { key: manager } = await cluster.issue(account, { kind: 'management' });
    const [mine, managing] = [clientOf(cluster, key), clientOf(cluster, manager)];
    await managing.json(managing.send('/workspaces', { body: { name: 'team' } }), 201);
    const data = await managing.dataOf<{ hash: string }[]>('/keys');

    const calls = (): number => cluster.simulators.reduce((sum, { calls: made }) => sum + made.length, 0);
    const before = calls();
    const lines = Array.from({ length: LINES }, () => chat({ ttft_ms: LINE_MS }));
    const { id } = await mine.submit(submission(lines));
    while (calls() === before) await new Promise((resolve) => setTimeout(resolve, 20));
    await managing.json(managing.send(`/keys/${data[0]?.hash}`, { ...change, node: 1 }));

    // A revoked key reads nothing: another one of the account does.
    const other = clientOf(cluster, (await cluster.issue(account)).key);
    const ended: Batch = await other.end(id);
    const made = calls() - before;
    assert.is(ended.status, 'completed');
    assert.equal(ended.request_counts, { total: LINES, completed: made, failed: LINES - made });
    assert.ok(made < LINES, 'the key changed before all lines were sent');
    let cost = 0;
    for (const { response, error } of linesOf(ended)) {
      if (response !== null) cost += (response.body.usage as { cost: number }).cost;
      else {
        const { type, code, message, request_id } = error as NonNullable<typeof error>;
        assert.equal(
          [type, code, message, request_id],
          ['authentication', 401, 'Missing or invalid API key: the key that was sent is not accepted', null],
        );
      }
    }
    const credits = await other.dataOf<{ total_usage: number; held: number }>('/credits');
    assert.is(credits.total_usage.toFixed(12), cost.toFixed(12));
    assert.is(credits.held, 0);
    assert.is((await mine.ask('/chat/completions', { body: chat() })).status, isAlive ? 200 : 401);
  });
}

test.run();
