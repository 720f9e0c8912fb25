/** Old months leave in real processes that are killed at every step between export and removal. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind, showAccount } from '../../../../actors/account/account.ts';
import { opened } from '../../../../actors/account/generation.ts';
import { auditKind, verifyAudit } from '../../../../actors/audit/audit.ts';
import { keyKind } from '../../../../actors/key/key.ts';
import { paymentKind } from '../../../../actors/payment/payment.ts';
import { type ActorEvent, AskError, type Json, systemClock } from '../../../../actors/runtime/index.ts';
import { monthOf } from '../../../../actors/terms/month.ts';
import { ChainSweep } from '../../../../gateway/management/retention/chain-sweep.ts';
import { monthsOf, requireStatement } from '../../../../gateway/management/statement.ts';
import { moneyOf } from '../../../../gateway/operator/lists/account-money.ts';
import { ACCOUNT, agedSweep, openAged, writeAged } from '../../../support/aged-ledger.ts';
import { balanceHolds, chainHolds } from '../../../support/auditor/balances.ts';
import { storeFile } from '../../../support/auditor/store-file.ts';
import { bounded } from '../../../support/bounded.ts';
import { PureActors } from '../../../support/model/pure-actors.ts';
import { rowsOf } from '../../../support/model/pure-rows.ts';
import * as words from '../../../support/model/words.ts';

const it = bounded(test);
const run = promisify(execFile);
const DAY_MS = 86_400_000;
const NODE = new URL('../../../support/retention-node.ts', import.meta.url).pathname;

/** Beginning of the month some months before this one, and a day of it, relative to now. */
function monthAgo(months: number): { readonly name: string; readonly shiftMs: number } {
  let month = monthOf(Date.now());
  for (let n = 0; n < months; n++) month = monthOf(month.from - 1);
  return { name: month.name, shiftMs: month.from + 10 * DAY_MS - Date.now() };
}

const [OLDEST, OLD] = [monthAgo(7), monthAgo(6)];
const COUNTS = new Map([
  [OLDEST.shiftMs, 300],
  [OLD.shiftMs, 5],
  [0, 2],
]);

/** Runs a node until its crash point; false where it ended by itself. */
async function isKilled(database: string, folder: string, ...point: readonly string[]): Promise<boolean> {
  try {
    await run(process.execPath, [NODE, database, folder, ...point]);
    return false;
  } catch (error) {
    if ((error as { readonly signal?: string }).signal !== 'SIGKILL') throw error;
    return true;
  }
}

interface Exported {
  readonly lines: readonly { readonly sequence: number; readonly previous: string; readonly hash: string }[];
  readonly end: { readonly lines: number; readonly sha256: string };
}

/** Every exported file, by its path below the folder. Throws for one that is not whole. */
function exportsIn(folder: string): Map<string, Exported> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'));
  return new Map(
    files.sort().map((name) => {
      const path = join(folder, name);
      assert.is(statSync(path).mode & 0o077, 0, `${name} is for its owner alone`);
      const text = gunzipSync(readFileSync(path)).toString();
      const last = text.lastIndexOf('\n', text.length - 2) + 1;
      const { end } = JSON.parse(text.slice(last)) as Pick<Exported, 'end'>;
      assert.is(createHash('sha256').update(text.slice(0, last)).digest('hex'), end.sha256);
      const lines = text.slice(0, last).trimEnd().split('\n');
      assert.is(lines.length, end.lines);
      return [name, { lines: lines.map((line) => JSON.parse(line)), end }];
    }),
  );
}

/** The money auditor over the file as it is. */
async function audited(database: string): Promise<void> {
  const view = storeFile(database);
  const evidence = { ledger: await view.dump(), samples: [await view.sample()], credits: [] };
  await view.close();
  for (const check of [balanceHolds, chainHolds]) {
    const { violations, examined } = check({ evidence } as never);
    assert.equal(violations, []);
    assert.ok(examined > 0);
  }
}

it('a node killed at any step between export and removal loses nothing and removes nothing twice (rule K86)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'retention-'));
  const [database, folder] = [join(home, 'troupe.db'), join(home, 'export')];
  try {
    await writeAged(database, COUNTS);
    await audited(database);
    assert.ok(await isKilled(database, folder, 'retention.written'));
    assert.is(exportsIn(folder).size, 0, 'a file has its name once it is durable');
    assert.ok(await isKilled(database, folder, 'retention.exported'));
    const [before] = exportsIn(folder).values();
    assert.is(before?.lines.length, 300);
    await audited(database);
    assert.ok(await isKilled(database, folder, 'retention.pruned', '2'));
    await audited(database);
    const [repeated] = exportsIn(folder).values();
    assert.equal(repeated, before, 'the same name and content');
    await judge(database, folder);
    await audited(database);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

/** After a last sweep. */
async function judge(database: string, folder: string): Promise<void> {
  const aged = await openAged(database, 0);
  await agedSweep(aged, folder).round();
  const files = exportsIn(folder);
  const names = ['audit', 'ledger'].flatMap((log) =>
    [OLDEST, OLD].map(({ name }) => `${log}/${name}/acct_aged.jsonl.gz`),
  );
  assert.equal([...files.keys()], names);
  for (const log of ['audit', 'ledger']) {
    const lines = names.filter((name) => name.startsWith(log)).flatMap((name) => files.get(name)?.lines ?? []);
    const numbers = Array.from({ length: 305 }, (_, n) => n + 1);
    assert.is(lines.map(({ sequence }) => sequence).join(), numbers.join());
    assert.ok(lines.every(({ previous }, at) => at === 0 || previous === lines[at - 1]?.hash));
  }
  const { cluster, close } = aged;
  const view = await showAccount(cluster, ACCOUNT, 10_000);
  assert.equal([view.balance, view.deposits, view.sequence], ['76.75', '76.75', 307]);
  const verdict = await verifyAudit('acct_aged', { reader: cluster.rows, cluster, withinMs: 10_000 });
  assert.equal(verdict, { sound: true, entries: 307, removed: 305 });
  assert.is((await moneyOf(cluster.rows, ACCOUNT)).balance, '76.75');
  const months = await monthsOf({ cluster }, ACCOUNT);
  assert.is(months.at(-1)?.name, monthAgo(5).name, 'statements begin behind the removed months');
  const statement = await requireStatement({ cluster }, ACCOUNT, monthAgo(5).name);
  const chunks: Uint8Array[] = [];
  for await (const chunk of statement.lines) chunks.push(chunk);
  assert.match(Buffer.concat(chunks).toString(), /opening,,76\.25,/);
  await close();
}

it('a month stays while a generation of its time is kept, or a payment of its time is open (rule K85)', async () => {
  const actors = new PureActors([accountKind(), keyKind, auditKind, paymentKind], Date.UTC(2026, 0, 30));
  actors.tell(words.ACCOUNT, { type: 'account.create', name: 'Ada' });
  actors.tell(words.ACCOUNT, words.depositEvent('dep-1', '5'));
  actors.advance(100 * DAY_MS);
  actors.tell(words.ACCOUNT, words.depositEvent('dep-2', '5'));
  const generation = (createdAt: number) => ({
    ...opened({ request: words.request('gen-1', '1'), key: '', at: createdAt }),
  });
  const payment = (createdAt: number, status: string) => ({ account: 'acct_1', createdAt, status });
  const till = Date.UTC(2026, 1, 1);
  const openings = async (collection: string, row: object | null): Promise<number> => {
    const own = new PureActors(
      [...actors.kinds.values()].map(({ kind }) => kind),
      actors.now,
    );
    own.snapshots = new Map(actors.snapshots);
    own.rows = new Map(actors.rows);
    if (row !== null) own.rows.set(`${collection} 1`, row as Json);
    await sweepOf(own).round();
    return own.list(words.ACCOUNT, 'ledger-opening').length;
  };
  assert.is(await openings('', null), 1);
  assert.is(await openings('account:acct_1 generation', generation(till - 1)), 0);
  assert.is(await openings('account:acct_1 generation', generation(till)), 1);
  assert.is(await openings('payment:dep_1 payment', payment(till - 1, 'review')), 0);
  assert.is(await openings('payment:dep_1 payment', payment(till - 1, 'pending')), 0);
  assert.is(await openings('payment:dep_1 payment', payment(till - 1, 'failed')), 1);
  assert.is(await openings('payment:dep_1 payment', payment(till, 'review')), 1);
});

it('an account that does not answer keeps no other from leaving', async () => {
  const actors = new PureActors([accountKind(), keyKind, auditKind, paymentKind], Date.UTC(2026, 0, 30));
  for (const account of ['account:acct_0', words.ACCOUNT]) {
    actors.tell(account, { type: 'account.create', name: 'Ada' });
    actors.tell(account, words.depositEvent('dep-1', '5'));
  }
  actors.advance(100 * DAY_MS);
  await sweepOf(actors, ['account:acct_0', words.ACCOUNT], 'account:acct_0').round();
  assert.is(actors.list('account:acct_0', 'ledger').length, 1);
  assert.is(actors.list(words.ACCOUNT, 'ledger').length, 0);
});

/** A sweep of ledgers over pure actors, one of them quarantined, without an export. */
function sweepOf(actors: PureActors, accounts: readonly string[] = [words.ACCOUNT], quarantined = ''): ChainSweep {
  const { rows } = rowsOf(actors);
  const page = { actors: accounts.map((address) => ({ address })), next: null };
  return new ChainSweep({
    cluster: {
      rows,
      now: () => actors.now,
      owns: () => true,
      self: { name: 'n1', incarnation: 'i1', birth: 1, address: '' },
      ask: async (to: string, event: ActorEvent) => {
        if (to === quarantined) throw new AskError(to, { code: 'quarantined', detail: 'a test' });
        return actors.ask(to, event);
      },
      operator: { actors: async () => page },
    } as never,
    clock: systemClock,
    retention: { ledger: 90, audit: null },
    folder: null,
    crashpoint: () => {},
    askMs: 1,
    log: { info: () => {}, warn: () => {} },
  });
}

test.run();
