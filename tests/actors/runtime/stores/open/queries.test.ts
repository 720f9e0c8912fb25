/** Queries over views: the same answers from both stores, bounded, and nothing else of the database in reach. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openQueries } from '../../../../../actors/runtime/stores/open/queries.ts';
import { firstSchema as postgresSchema } from '../../../../../actors/runtime/stores/postgres/migrations/0001-first-schema.ts';
import { keyTables } from '../../../../../actors/runtime/stores/postgres/open-postgres-key-store.ts';
import { type Queries, QueryRefused, type RowsView } from '../../../../../actors/runtime/stores/query/query.ts';
import { firstSchema as sqliteSchema } from '../../../../../actors/runtime/stores/sqlite/migrations/0001-first-schema.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { type Installation, installations } from '../../../../contracts/store/installations.ts';
import { actor, own, row, write } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { failureOf } from '../../../../support/failure-of.ts';

const it = bounded(test);

const SALES: RowsView = {
  name: 'sales',
  collection: 'sale',
  columns: [
    { name: 'id', type: 'text', value: { row: 'id' } },
    { name: 'account', type: 'text', value: { row: 'address' } },
    { name: 'cost', type: 'decimal', value: { body: ['settled', 'cost'] } },
    { name: 'tokens', type: 'integer', value: { body: ['settled', 'tokens'] } },
  ],
};
const OPEN_SALES: RowsView = { ...SALES, name: 'open_sales', isOpen: true };

/** Of either store, but for those that views of the same name show. */
const TABLES = [...`${sqliteSchema} ${postgresSchema} ${keyTables}`.matchAll(/CREATE TABLE (\w+)/g)]
  .map(([, name]) => name as string)
  .filter((name) => !['actors', 'rows', 'nodes', 'shards'].includes(name));

/** Three accounts, of which one is suspended, and twelve sales of one of them. */
async function filled(installation: Installation): Promise<void> {
  const store = await installation.open();
  const fence = await own(store, 'i1', [7]);
  const actors = ['a', 'b', 'c'].map((name, n) => {
    const value = n === 2 ? 'suspended' : 'open';
    const snapshot = JSON.stringify({ status: 'active', value, context: { secret: 'of the account' } });
    return { record: actor(`account:${name}`, 1, { snapshot }), expected: 0 };
  });
  const rowsPut = Array.from({ length: 12 }, (_, n) =>
    row(`sale-${n}`, {
      collection: 'sale',
      sort: n,
      open: n < 2,
      body: JSON.stringify({ settled: { cost: '0.5', tokens: n }, prompt: 'private words' }),
    }),
  );
  await store.commit([write(fence, { actors, rowsPut })]);
  await store.close();
  if (installation.choice.kind === 'postgres') {
    await installation.run('CREATE SCHEMA store; CREATE TABLE store.rows AS SELECT * FROM rows');
  }
}

async function using(name: string, use: (queries: Queries) => Promise<void>): Promise<void> {
  const installation = await (installations[name] as () => Promise<Installation>)();
  try {
    await filled(installation);
    await use(openQueries(installation.choice, [SALES, OPEN_SALES], systemClock));
  } finally {
    await installation.close();
  }
}

for (const name of Object.keys(installations)) {
  it(`${name}: views of the runtime and of its host answer, with one name for one thing (rule N52)`, async () => {
    await using(name, async (queries) => {
      const states = await queries.run('select state, count(*) as n from actors group by state order by state;');
      assert.equal(states.columns, ['state', 'n']);
      assert.equal(
        states.rows.map(([state, n]) => [state, Number(n)]),
        [
          ['open', 2],
          ['suspended', 1],
        ],
      );
      const [sums] = (await queries.run('select account, sum(tokens) t, sum(cost) as usd from sales group by 1')).rows;
      assert.equal([sums?.[0], Number(sums?.[1]), Number(sums?.[2])], ['account:a', 66, 6]);
      const open = await queries.run('with few as (select id from open_sales) select count(*) as n from few');
      assert.is(Number(open.rows[0]?.[0]), 2);
      const joined = await queries.run(
        'select a.address, s.id from actors a join sales s on s.account = a.address order by s.tokens limit 1',
      );
      assert.equal(joined.rows, [['account:a', 'sale-0']]);
    });
  });

  it(`${name}: a query reaches no table, no body, no function and no setting that no view shows (rule N52)`, async () => {
    await using(name, async (queries) => {
      for (const text of [
        'select snapshot from actors',
        'select body from rows',
        'select * from main.rows',
        'select * from public.rows',
        'select * from settings',
        'select 1 as settings from settings',
        'select * from timers',
        'select * from sqlite_master',
        'select * from pg_class',
        "select * from pragma_table_info('rows')",
        "select load_extension('x') from actors",
        'select pg_sleep(1)',
        "select current_setting('data_directory')",
        'select * from "settings"',
        'delete from rows',
        'update rows set sort = 1',
        'select 1; delete from rows',
        'select 1 -- comment',
        'select * from actors /* comment */',
        'with settings as (select 1 as state) select * from settings',
        'select address as pg_class from actors',
        'insert into rows values (1)',
        '',
        'select $1',
        'x'.repeat(10_001),
        // A name that the query gives itself is neither a function nor a schema.
        "select 1 as query_to_xml, query_to_xml('select body from rows', true, true, '') as t",
        "select 1 as nextval, nextval('x')",
        'select version() as v',
        'with x as (select 1 as store, 1 as body) select body from store.rows',
        // PostgreSQL reads a backslash in E'' as an escape: its text ends elsewhere than the text of the standard.
        "select 1 as e, e'\\'' as a, body from rows limit 1) select * from asked --'",
        "select 1 as e, e'\\''; commit; delete from rows; --'",
        "select 1 as u, u&'\\0061'",
        'select address\u00a0from rows',
      ]) {
        const refused = await failureOf(queries.run(text), QueryRefused);
        assert.not.match(refused.message, /private words|of the account/, text);
      }
      const views = await queries.run('select * from rows');
      assert.not.ok(JSON.stringify(views.rows).includes('private words'));
      for (const table of TABLES) {
        await failureOf(queries.run(`select 1 as n from ${table}`), QueryRefused);
        await failureOf(queries.run(`select count(*) as ${table} from ${table}`), QueryRefused);
      }
      const texts = await queries.run("select count(*) as n from sales where id = 'settings; drop table rows --'");
      assert.is(Number(texts.rows[0]?.[0]), 0, 'a text may contain anything');
    });
  });

  it(`${name}: a query is bounded in time and rows, and a mistake is told (rule N52)`, async () => {
    await using(name, async (queries) => {
      const many = 'sales a, sales b, sales c, sales d';
      const cut = await queries.run(`select a.id from ${many}`);
      assert.is(cut.rows.length, 1_000);
      assert.is(cut.cut, true);
      const endless = `select count(*) as n from ${many}, sales e, sales f, sales g, sales h, sales i, sales j`;
      assert.match((await failureOf(queries.run(endless), QueryRefused)).message, /longer|timeout/);
      const wide = `select replace(replace('${'x'.repeat(1_000)}', 'x', '${'y'.repeat(1_000)}'), 'y', 'zzzz') as z from sales`;
      // The driver of PostgreSQL keeps a whole answer; SQLite's is read row by row.
      const wire = await queries.run(wide).then(
        ({ rows, cut }) => `${rows.length} rows, cut: ${cut}`,
        (refused: QueryRefused) => refused.message,
      );
      assert.is(wire, name === 'postgres' ? 'the answer has more than 16777216 bytes' : '1 rows, cut: true');
      assert.match(
        (await failureOf(queries.run('select id from nothing'), QueryRefused)).message,
        /the views are actors/,
      );
      assert.match(
        (await failureOf(queries.run('select id from sales where'), QueryRefused)).message,
        /syntax|incomplete/,
      );
    });
  });
}

test.run();
