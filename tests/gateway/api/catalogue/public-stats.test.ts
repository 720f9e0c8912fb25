import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dateOf, type KeyUsage, usageCollection } from '../../../../actors/key/usage.ts';
import type { Cluster, RowQuery, RowRecord } from '../../../../actors/runtime/index.ts';
import { PublicStats } from '../../../../gateway/api/catalogue/public-stats.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const DAY_MS = 86_400_000;
const TODAY = 20_000 * DAY_MS;
const NOON = TODAY + DAY_MS / 2;
const LISTED = { models: 3, endpoints: 5, providers: 2 };

/** The rows of a cluster, read by their index column as a store does. */
class Rows {
  readonly rows: KeyUsage[];
  reads = 0;
  now = NOON;

  constructor(rows: readonly KeyUsage[]) {
    this.rows = [...rows];
  }

  get cluster(): Pick<Cluster, 'rows' | 'now'> {
    return { now: () => this.now, rows: { rows: (query: RowQuery) => this.#read(query) } as Cluster['rows'] };
  }

  async #read({ where, after, limit }: RowQuery): Promise<readonly RowRecord[]> {
    this.reads++;
    const column = usageCollection.index?.[where?.column ?? 0] as (row: KeyUsage) => string | null;
    const found = this.rows.flatMap((row, nth) => {
      const id = String(nth).padStart(6, '0');
      return column(row) === where?.equals && id > (after?.id ?? '')
        ? [{ id, sort: row.day, body: JSON.stringify(row) }]
        : [];
    });
    return found.slice(0, limit) as unknown as readonly RowRecord[];
  }
}

function used(model: string, account: string, day: number, tokens = 10): KeyUsage {
  return {
    ...{ account, key: `key:${account}/key_1`, day: TODAY - day * DAY_MS, model, endpoint: 'ep_1', provider: 'P' },
    ...{ keyHash: '', user: null },
    ...{ requests: 1, promptTokens: tokens, completionTokens: 1, reasoningTokens: 0, usage: '0.1' },
  };
}

interface Shown {
  readonly as_of: string;
  readonly requests: number;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly top_models: readonly { readonly model: string; readonly total_tokens: string }[];
  readonly daily: readonly { readonly date: string; readonly requests: number; readonly total_tokens: string }[];
}

const shown = async (rows: readonly KeyUsage[]): Promise<Shown> =>
  (await new PublicStats(new Rows(rows).cluster).show(LISTED)) as Shown;

const crowd = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `acct_${nth}`);

it('requests and tokens of 30 days are summed by model and by day, tokens as text', async () => {
  const rows = crowd(5).flatMap((account) => [
    used('m/big', account, 0, 9_000_000_000_000_000),
    used('m/small', account, 29),
    used('m/small', account, 30),
  ]);
  const stats = await shown(rows);
  assert.is(stats.requests, 10);
  assert.is(stats.prompt_tokens, '45000000000000050');
  assert.equal(stats.top_models, [
    { model: 'm/big', total_tokens: '45000000000000005' },
    { model: 'm/small', total_tokens: '55' },
  ]);
  assert.equal(
    stats.daily.map(({ date, requests }) => [date, requests]),
    [
      [dateOf(TODAY - 29 * DAY_MS), 5],
      [dateOf(TODAY), 5],
    ],
  );
  assert.is(stats.as_of, new Date(NOON).toISOString());
});

it('what fewer than five accounts did is in no figure, not even as a difference (rule C13)', async () => {
  const rare = crowd(4).map((account) => used('m/rare', account, 0));
  const common = crowd(5).map((account) => used('m/common', account, 0));
  const lonely = [used('m/common', 'acct_0', 3)];
  const stats = await shown([...rare, ...common, ...lonely]);
  assert.equal(stats.top_models, [{ model: 'm/common', total_tokens: '55' }]);
  assert.is(stats.requests, 5);
  assert.equal(
    stats.daily.map(({ requests }) => requests),
    [5],
  );
  const repeated = await shown(Array.from({ length: 9 }, () => used('m/one', 'acct_1', 0)));
  assert.equal([repeated.requests, repeated.top_models, repeated.daily], [0, [], []], 'nine requests of one account');
});

it('every published model and day has five accounts within what is published, over random activity', async () => {
  const row = fc.tuple(
    fc.constantFrom('m/a', 'm/b', 'm/c'),
    fc.integer({ min: 0, max: 7 }),
    fc.integer({ min: 0, max: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (drawn) => {
      const rows = drawn.map(([model, account, day]) => used(model, `acct_${account}`, day));
      const stats = await shown(rows);
      // The oracle: the largest set of days and models in which each has five accounts.
      let kept = rows;
      for (let before = -1; before !== kept.length; ) {
        before = kept.length;
        const accounts = (same: (one: KeyUsage) => boolean): number =>
          new Set(kept.filter(same).map(({ account }) => account)).size;
        const models = new Set(
          kept.map(({ model }) => model).filter((model) => accounts((one) => one.model === model) >= 5),
        );
        kept = kept.filter(({ model }) => models.has(model));
        const days = new Set(kept.map(({ day }) => day).filter((day) => accounts((one) => one.day === day) >= 5));
        kept = kept.filter(({ day }) => days.has(day));
      }
      assert.is(stats.requests, kept.length);
      assert.equal(new Set(stats.top_models.map(({ model }) => model)), new Set(kept.map(({ model }) => model)));
      assert.equal(new Set(stats.daily.map(({ date }) => date)), new Set(kept.map(({ day }) => dateOf(day))));
      const sum = stats.top_models.reduce((all, { total_tokens }) => all + Number(total_tokens), 0);
      assert.is(sum, Number(stats.prompt_tokens) + Number(stats.completion_tokens));
    }),
    { numRuns: 200 },
  );
});

it('the rows are read once a minute, and those of a completed day once', async () => {
  const rows = new Rows(crowd(5).map((account) => used('m/a', account, 0)));
  const stats = new PublicStats(rows.cluster);
  const [one, other] = (await Promise.all([stats.show(LISTED), stats.show(LISTED)])) as [Shown, Shown];
  assert.equal(one, other);
  assert.is(rows.reads, 30, 'one read of each day, for both');
  rows.rows.push(used('m/a', 'acct_0', 0));
  rows.now += 59_000;
  assert.is(((await stats.show(LISTED)) as Shown).requests, 5);
  rows.now += 2_000;
  assert.is(((await stats.show(LISTED)) as Shown).requests, 6);
  assert.is(rows.reads, 31, 'only the running day again');
});

it('a failed read is not kept', async () => {
  const rows = new Rows([]);
  let isDown = true;
  const failing = {
    now: () => NOON,
    rows: { rows: (query: RowQuery) => (isDown ? Promise.reject(new Error('down')) : rows.cluster.rows.rows(query)) },
  };
  const stats = new PublicStats(failing as unknown as Pick<Cluster, 'rows' | 'now'>);
  assert.match(String(await stats.show(LISTED).catch((error: unknown) => error)), /down/);
  isDown = false;
  assert.is(((await stats.show(LISTED)) as Shown).requests, 0);
});

test.run();
