/**
 * What the account reads say against the ledger, digit for digit, over random traffic that crosses days, weeks and
 * months. The expected sums are whole numbers of 1e-64 USD, computed without the library under test.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { defaultWorkspaceId, workspaceAddress } from '../../../actors/terms/ids.ts';
import { workspaceKind } from '../../../actors/workspace/workspace.ts';
import { activityObject, parseActivityQuery } from '../../../gateway/api/money/activity.ts';
import { creditsObject } from '../../../gateway/api/money/credits.ts';
import { renderExact } from '../../../gateway/json/exact-json.ts';
import { readActivity } from '../../../gateway/management/activity.ts';
import { renderGeneration } from '../../../gateway/management/generation-record.ts';
import type { ManagementServices } from '../../../gateway/management/services.ts';
import { monthsOf, requireStatement } from '../../../gateway/management/statement.ts';
import { bounded } from '../../support/bounded.ts';
import { text, units } from '../../support/model/oracle.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { rowsOf } from '../../support/model/pure-rows.ts';
import * as words from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';
import { verifyLedger } from '../../support/verify-ledger.ts';

const it = bounded(test);
const KEYS = ['key:acct_1/key_1', 'key:acct_1/key_2', 'key:acct_1/key_3'] as const;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const RUNS = Number(process.env.MONEY_RUNS ?? 30);

const amount = fc
  .tuple(fc.nat({ max: 3 }), fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), fc.nat({ max: 24 }))
  .map(([whole, fraction, digits]) => {
    const decimals = fraction.toString().padStart(24, '0').slice(0, digits);
    return decimals === '' ? `${whole}` : `${whole}.${decimals}`;
  });
const command = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('spend' as const),
      key: fc.constantFrom(...KEYS),
      model: fc.constantFrom('author/one', 'author/two'),
      endpoint: fc.constantFrom('ep_1', 'ep_2'),
      tokens: fc.tuple(fc.nat({ max: 9_000 }), fc.nat({ max: 9_000 })),
      cost: amount,
    }),
    weight: 8,
  },
  fc.record({ do: fc.constant('release' as const), key: fc.constantFrom(...KEYS) }),
  fc.record({ do: fc.constant('deposit' as const), amount }),
  fc.record({ do: fc.constant('adjust' as const), amount, isTaken: fc.boolean() }),
  // Minutes, or days over the edges of weeks and months.
  { arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 2 * DAY_MS }) }), weight: 3 },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface Spent {
  readonly generation: string;
  readonly key: string;
  readonly model: string;
  readonly endpoint: string;
  readonly tokens: readonly [number, number];
}

function play(commands: readonly Command[]): { actors: PureActors; spent: Map<string, Spent> } {
  const actors = new PureActors([accountKind(), keyKind, auditKind], words.START);
  actors.tell(words.ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(words.ACCOUNT, words.depositEvent('dep-0', '1000000'));
  for (const key of KEYS) actors.tell(key, words.createKeyEvent());
  const spent = new Map<string, Spent>();
  for (const [at, command] of commands.entries()) run(actors, spent, command, at);
  return { actors, spent };
}

function run(actors: PureActors, spent: Map<string, Spent>, command: Command, at: number): void {
  const generation = `gen-${at}`;
  const held = (key: string, more: object = {}): unknown =>
    actors.ask(key, words.admitEvent(words.request(generation, '4', { deadlineAt: actors.now + 60_000, ...more })));
  switch (command.do) {
    case 'spend': {
      const { key, model, endpoint, tokens, cost } = command;
      held(key, { model, endpoint });
      const [promptTokens, completionTokens] = tokens;
      actors.tell(
        words.ACCOUNT,
        words.settleEvent({ ...words.settlement(generation, cost), promptTokens, completionTokens }),
      );
      spent.set(generation, { generation, key, model, endpoint, tokens });
      break;
    }
    case 'release':
      held(command.key);
      actors.tell(words.ACCOUNT, words.releaseEvent(words.release(generation)));
      break;
    case 'deposit':
      actors.tell(words.ACCOUNT, words.depositEvent(`dep-x${at}`, command.amount));
      break;
    case 'adjust': {
      const sized = `${command.isTaken ? '-' : ''}${command.amount}`;
      actors.tell(words.ACCOUNT, words.adjustmentEvent(`adj-${at}`, sized));
      break;
    }
    case 'advance':
      actors.advance(command.ms);
  }
}

/** A member of rendered JSON as its exact digits. */
const digits = (value: unknown): string => renderExact(value);
const sum = (entries: readonly LedgerEntry[]): string =>
  text(entries.reduce((total, entry) => total + units(entry.amount), 0n));

function windows(now: number): Record<'daily' | 'weekly' | 'monthly', number> {
  const date = new Date(now);
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return {
    daily: midnight,
    weekly: midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS,
    monthly: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  };
}

async function judge({ actors, spent }: ReturnType<typeof play>): Promise<void> {
  const ledger = actors.list<LedgerEntry>(words.ACCOUNT, 'ledger');
  assert.ok(verifyLedger(ledger).sound);
  const charges = ledger.filter(({ type }) => type === 'charge');
  judgeCredits(actors, ledger, charges);
  for (const key of KEYS)
    judgeKey(
      actors,
      key,
      charges.filter((entry) => entry.key === key),
    );
  for (const { ref, amount } of charges) {
    const shown = renderGeneration(ref, actors.row<Generation>(words.ACCOUNT, 'generation', ref) as Generation);
    assert.equal([digits(shown.total_cost), digits(shown.usage)], [text(units(amount)), text(units(amount))]);
  }
  await judgeActivity(actors, charges, spent);
  await judgeStatements(actors, ledger);
}

function servicesOf(actors: PureActors): Pick<ManagementServices, 'cluster'> {
  return { cluster: { ...rowsOf(actors), now: () => actors.now } as unknown as ManagementServices['cluster'] };
}

/** Every entry is in the statement of its month, and each statement begins with the balance that the last one ends with. */
async function judgeStatements(actors: PureActors, ledger: readonly LedgerEntry[]): Promise<void> {
  const services = servicesOf(actors);
  const found: string[][] = [];
  let balance = '0';
  for (const month of [...(await monthsOf(services, words.ACCOUNT))].reverse()) {
    const pieces: Uint8Array[] = [];
    const { lines } = await requireStatement(services, words.ACCOUNT, month.name);
    for await (const piece of lines) pieces.push(piece);
    const [, ...rows] = Buffer.concat(pieces).toString().trimEnd().split('\r\n');
    const cells = rows.map((row) => row.split(','));
    const [opening, closing] = [cells.at(0) as string[], cells.at(-1) as string[]];
    assert.equal([opening[2], opening[4], closing[2]], ['opening', balance, 'closing']);
    balance = closing[4] as string;
    for (const [, at = ''] of cells.slice(1, -1)) assert.is(at.slice(0, 7), month.name);
    found.push(...cells.slice(1, -1));
  }
  const expected = ledger.map((entry) => {
    const signed = text(entry.to === 'balance' ? units(entry.amount) : -units(entry.amount));
    const key = entry.key?.split('/')[1] ?? '';
    return [`${entry.sequence}`, new Date(entry.at).toISOString(), entry.type, signed, entry.balance, key, entry.ref];
  });
  assert.equal(found, expected);
  assert.is(balance, ledger.at(-1)?.balance);
}

function judgeCredits(actors: PureActors, ledger: readonly LedgerEntry[], charges: readonly LedgerEntry[]): void {
  const view = actors.ask<AccountView>(words.ACCOUNT, { type: 'account.show' });
  const sided = (entries: readonly LedgerEntry[]): bigint =>
    entries.reduce((total, { to, amount }) => (to === 'balance' ? total + units(amount) : total - units(amount)), 0n);
  const shown = creditsObject(view) as Record<string, unknown>;
  const others = ledger.filter(({ type }) => type !== 'charge');
  assert.is(digits(shown.total_credits), text(sided(others)));
  assert.is(digits(shown.total_usage), sum(charges));
  assert.is(digits(shown.available), text(sided(ledger)), 'nothing is held');
  assert.is(digits(shown.held), '0');
}

function judgeKey(actors: PureActors, key: string, charges: readonly LedgerEntry[]): void {
  const view = actors.ask<KeyView>(key, { type: 'key.show' });
  const { daily, weekly, monthly } = windows(actors.now);
  const since = (from: number): string => sum(charges.filter(({ at }) => at >= from));
  assert.equal(
    [view.usage, view.usageDaily, view.usageWeekly, view.usageMonthly],
    [sum(charges), since(daily), since(weekly), since(monthly)],
    key,
  );
}

async function judgeActivity(
  actors: PureActors,
  charges: readonly LedgerEntry[],
  spent: ReadonlyMap<string, Spent>,
): Promise<void> {
  const expected = new Map<string, unknown[]>();
  const today = windows(actors.now).daily;
  const totals = new Map<string, { usage: bigint; requests: number; prompt: number; completion: number }>();
  for (const { at, amount, ref } of charges) {
    const day = windows(at).daily;
    if (day >= today || day < today - 30 * DAY_MS) continue;
    const { model, endpoint, tokens } = spent.get(ref) as Spent;
    const id = `${new Date(day).toISOString().slice(0, 10)} ${model} ${endpoint}`;
    const total = totals.get(id) ?? { usage: 0n, requests: 0, prompt: 0, completion: 0 };
    total.usage += units(amount);
    total.requests++;
    total.prompt += tokens[0];
    total.completion += tokens[1];
    totals.set(id, total);
  }
  for (const [id, { usage, requests, prompt, completion }] of totals) {
    expected.set(id, [text(usage), requests, prompt, completion]);
  }
  const query = parseActivityQuery(new URLSearchParams(), actors.now);
  const rows = (await readActivity(servicesOf(actors), 'acct_1', query)).map(activityObject) as Record<
    string,
    unknown
  >[];
  const actual = rows.map((row) => [
    `${row.date} ${row.model} ${row.endpoint_id}`,
    [digits(row.usage), row.requests, row.prompt_tokens, row.completion_tokens],
  ]);
  assert.equal(new Map(actual as never), expected);
  assert.is(rows.length, expected.size, 'one row per day, model and endpoint');
}

it('credits, keys, generations and activity agree with the ledger over random traffic (rule K42)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => judge(play(commands))),
    { numRuns: RUNS },
  );
});

it('rows of an ended day are closed by their timer, also of a key that is never used again', async () => {
  const spend = (key: string, model: string): Command =>
    ({
      ...{ do: 'spend', key, model, endpoint: 'ep_1', tokens: [1, 2], cost: '0.5' },
    }) as Command;
  const hours = (count: number): Command => ({ do: 'advance', ms: count * HOUR_MS });
  const [key] = KEYS;
  const first = [...Array.from({ length: 70 }, (_, nth) => spend(key, `author/m${nth}`)), hours(24)];
  const rowsAfter = (...commands: Command[]): [number, boolean][] =>
    play(commands)
      .actors.list<{ isClosed?: true; requests: number }>(key, 'usage')
      .map(({ requests, isClosed = false }) => [requests, isClosed]);
  const ended = Array.from({ length: 70 }, () => [1, true]);
  assert.equal(rowsAfter(...first, hours(24)), ended);
  const running = [spend(key, 'author/m0'), spend(key, 'author/m0')];
  assert.equal(rowsAfter(...first, ...running, hours(12)), [...ended, [2, false]]);
  assert.equal(rowsAfter(...first, ...running, hours(36)), [...ended, [2, true]]);
  await judge(play([...first, ...running, hours(12), spend(key, 'author/m0')]));
});

it('activity is filtered by key, member and workspace, and grouped by workspace', async () => {
  const actors = new PureActors([accountKind(), keyKind, auditKind, workspaceKind], words.START);
  const [one, two] = KEYS;
  actors.tell(words.ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(words.ACCOUNT, words.depositEvent('dep-0', '100'));
  const team = `ws_${'T'.repeat(20)}`;
  const settings = { name: 'Team', slug: 'team', description: null, zeroRetention: false, partition: 'model' };
  const created = { type: 'workspace.create', by: TESTER, settings: { ...settings, allowed: null, ignored: [] } };
  actors.tell(workspaceAddress('acct_1', team), created);
  const handle = (digit: string): string => digit.repeat(64);
  actors.tell(one, words.createKeyEvent({ handle: handle('1'), member: 'ada' }));
  actors.tell(two, words.createKeyEvent({ handle: handle('2'), workspace: team }));
  for (const [at, key] of [one, one, two].entries()) {
    actors.tell(key, words.admitEvent(words.request(`gen-${at}`, '4')));
    actors.tell(words.ACCOUNT, words.settleEvent(words.settlement(`gen-${at}`, `1.${at}`)));
  }
  actors.advance(DAY_MS);
  const ask = async (query: string): Promise<readonly unknown[]> => {
    const parsed = parseActivityQuery(new URLSearchParams(query), actors.now);
    const rows = (await readActivity(servicesOf(actors), 'acct_1', parsed)).map(activityObject);
    return (rows as Record<string, unknown>[]).map((row) => [row.workspace_id, digits(row.usage), row.requests]);
  };
  assert.equal(await ask(''), [[undefined, '3.3', 3]]);
  assert.equal(await ask(`api_key_hash=${handle('1')}`), [[undefined, '2.1', 2]]);
  assert.equal(await ask(`api_key_hash=${handle('3')}`), []);
  assert.equal([await ask('user_id=ada'), await ask('user_id=eve')], [[[undefined, '2.1', 2]], []]);
  assert.equal(await ask(`workspace_id=${team}`), [[undefined, '1.2', 1]]);
  const own = defaultWorkspaceId('acct_1');
  assert.equal(await ask(`workspace_id=${own}&group_by=workspace`), [[own, '2.1', 2]]);
  assert.equal(new Set(await ask('group_by=workspace')).size, 2);
});

test.run();
