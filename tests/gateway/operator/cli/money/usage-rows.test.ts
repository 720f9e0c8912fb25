import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeyUsage } from '../../../../../actors/key/usage.ts';
import {
  type UsageGroup,
  type UsageRow,
  usageColumns,
  usageCsv,
  usageRows,
} from '../../../../../gateway/operator/cli/money/usage-rows.ts';
import { csv } from '../../../../../gateway/terms/csv.ts';

const DAY = Date.UTC(2026, 10, 23);

function row(key: string, model: string, usage: string, more: Partial<KeyUsage> = {}): KeyUsage {
  return {
    ...{ account: 'acct_1', key: `key:acct_1/${key}`, day: DAY, model, endpoint: 'ep_1', provider: 'P' },
    ...{ keyHash: 'h', user: null, requests: 1, promptTokens: 2, completionTokens: 3, reasoningTokens: 1, usage },
    ...more,
  };
}

async function* pagesOf(...pages: readonly (readonly KeyUsage[])[]): AsyncIterable<readonly KeyUsage[]> {
  yield* pages;
}

async function summed(by: readonly UsageGroup[], ...pages: readonly (readonly KeyUsage[])[]): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const page of usageRows(pagesOf(...pages), new Set(by))) rows.push(...page);
  return rows;
}

const ROWS = [
  row('key_1', 'a/b', '0.000000000000000000000001'),
  row('key_1', 'a/b', '0.1', { endpoint: 'ep_2' }),
  row('key_1', 'a/a', '1'),
  row('key_2', 'a/b', '0.2', { account: 'acct_2' }),
];

test('rows are summed by model and key, exactly, across pages', async () => {
  for (const pages of [[ROWS], ROWS.map((each) => [each]), [ROWS.slice(0, 1), [], ROWS.slice(1)]]) {
    const rows = await summed(['model', 'key'], ...pages);
    assert.equal(
      rows.map(({ account, key, model, usd, requests }) => [account, key, model, usd, requests]),
      [
        ['acct_1', 'key_1', 'a/a', '1', 1],
        ['acct_1', 'key_1', 'a/b', '0.100000000000000000000001', 2],
        ['acct_2', 'key_2', 'a/b', '0.2', 1],
      ],
    );
    assert.is(rows[1]?.day, '2026-11-23');
    assert.equal([rows[1]?.prompt_tokens, rows[1]?.completion_tokens, rows[1]?.reasoning_tokens], [4, 6, 2]);
  }
  const byModel = await summed(['model'], ROWS);
  assert.equal(
    byModel.map(({ account, key, model, usd }) => [account, key, model, usd]),
    [
      ['acct_1', undefined, 'a/a', '1'],
      ['acct_1', undefined, 'a/b', '0.100000000000000000000001'],
      ['acct_2', undefined, 'a/b', '0.2'],
    ],
  );
  assert.equal(
    (await summed([], ROWS)).map(({ account, usd }) => [account, usd]),
    [
      ['acct_1', '1.100000000000000000000001'],
      ['acct_2', '0.2'],
    ],
  );
  assert.equal(await summed(['key']), []);
});

test('a key is written as soon as the next one begins, so that one key is held at a time', async () => {
  let read = 0;
  async function* counted(): AsyncIterable<readonly KeyUsage[]> {
    for (let nth = 0; nth < 50; nth++) {
      read++;
      yield [row(`key_${nth}`, 'a/b', '1')];
    }
  }
  let written = 0;
  for await (const page of usageRows(counted(), new Set<UsageGroup>(['key']))) {
    written += page.length;
    assert.ok(read - written <= 1, `${read} read, ${written} written`);
  }
  assert.is(written, 50);
});

test('as CSV, no cell is a formula, and every amount is a number', async () => {
  const by = new Set<UsageGroup>(['model']);
  const rows = await summed(['model'], [row('key_1', '=cmd|"x"!a/b', '0.5')]);
  assert.is(usageCsv(rows, usageColumns(by)), '2026-11-23,acct_1,"\'=cmd|""x""!a/b",1,2,3,1,0.5\r\n');
  assert.is(
    csv([['-1.5', '-1', '-1+cmd|x', '@x', '+1', '\tx', '-', 'a-b']]),
    "-1.5,-1,'-1+cmd|x,'@x,'+1,'\tx,'-,a-b\r\n",
  );
});

test.run();
