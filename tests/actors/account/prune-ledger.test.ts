import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { type LedgerEntry, sealEntry } from '../../../actors/account/ledger.ts';
import type { LedgerOpening } from '../../../actors/account/prune-ledger.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { type AuditEntry, AuditVerifier } from '../../../actors/audit/audit-entry.ts';
import { keyKind } from '../../../actors/key/key.ts';
import { auditAddress } from '../../../actors/terms/ids.ts';
import { monthOf } from '../../../actors/terms/month.ts';
import { CHAIN_DAYS_MIN, type ChainedEntry, type Opening, PRUNED_MAX } from '../../../actors/terms/opening.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { verifyLedger } from '../../support/verify-ledger.ts';

const it = bounded(test);
const LOG = auditAddress('acct_1');
const JANUARY = Date.UTC(2026, 0, 10);
const DAY_MS = 86_400_000;
const OLD_ENOUGH = Date.UTC(2026, 2, 1) + CHAIN_DAYS_MIN * DAY_MS;

/** 150 entries of January, three of February, and one of the day on which both months are old enough. */
function stage(): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind], JANUARY);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' });
  actors.tell(KEY, words.createKeyEvent());
  for (let n = 1; n <= 150; n++) actors.tell(ACCOUNT, words.depositEvent(`dep-${n}`, '0.25'));
  actors.advance(31 * DAY_MS);
  const held = { deadlineAt: actors.now + 60_000 };
  actors.tell(KEY, words.admitEvent(words.request('gen-1', '1', held)));
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.125')));
  actors.tell(ACCOUNT, words.adjustmentEvent('adj-1', '-0.5'));
  actors.tell(ACCOUNT, words.depositEvent('dep-151', '2'));
  actors.advance(OLD_ENOUGH - actors.now);
  actors.tell(ACCOUNT, words.adjustmentEvent('adj-2', '0.1'));
  return actors;
}

const ledgerOf = (actors: PureActors) => actors.list<LedgerEntry>(ACCOUNT, 'ledger');
const openingsOf = (actors: PureActors) => actors.list<LedgerOpening>(ACCOUNT, 'ledger-opening');

/** What the sweep sends next: the first entries of the oldest month. */
function part(entries: readonly ChainedEntry[], openings: readonly Opening[]) {
  const month = monthOf(entries[0]?.at ?? 0);
  const own = entries.filter(({ at }) => at < month.till).slice(0, PRUNED_MAX);
  return { month: month.name, before: openings.at(-1)?.month ?? null, entries: own };
}

const nextPrune = (actors: PureActors) => ({
  type: 'ledger.prune',
  ...part(ledgerOf(actors), openingsOf(actors)),
});

function judge(actors: PureActors): void {
  const { balance, deposits, charges, adjustments } = actors.context<AccountState>(ACCOUNT);
  const verdict = verifyLedger(ledgerOf(actors), openingsOf(actors).at(-1));
  assert.equal(verdict, { sound: true, entries: 154, balance, deposits, charges, adjustments });
}

it('months leave from the front, and chain, balance and sums stay exact after every step (rule K84)', () => {
  const actors = stage();
  judge(actors);
  for (const left of [26, 4, 1]) {
    actors.tell(ACCOUNT, nextPrune(actors));
    assert.is(ledgerOf(actors).length, left);
    judge(actors);
  }
  const openings = openingsOf(actors).map(({ month, sequence, balance, charges }) => [
    month,
    sequence,
    balance,
    charges,
  ]);
  assert.equal(openings, [
    ['2026-01', 150, '37.5', '0'],
    ['2026-02', 153, '38.875', '0.125'],
  ]);
  actors.tell(ACCOUNT, words.depositEvent('dep-152', '1'));
  assert.ok(verifyLedger(ledgerOf(actors), openingsOf(actors).at(-1)).sound);
  assert.not(verifyLedger(ledgerOf(actors)).sound, 'without its opening a part of a ledger is no ledger');
});

/** Entries of other content whose hashes fit each other. */
function resealed(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const sealed: LedgerEntry[] = [];
  for (const { hash: _, ...entry } of entries) {
    sealed.push(sealEntry({ ...entry, previous: sealed.at(-1)?.hash ?? entry.previous }));
  }
  return sealed;
}

it('a repeat, a gap, a forged entry and a young month are refused, and change nothing (rule K84)', () => {
  const actors = stage();
  const first = nextPrune(actors);
  const [one, ...rest] = first.entries as LedgerEntry[];
  const refused = (event: object): void => {
    const before = actors.rows;
    assert.match(JSON.stringify(actors.tell(ACCOUNT, event as never).reply), /does not begin with these entries/);
    assert.equal(actors.rows, before);
  };
  refused({ ...first, entries: rest });
  refused({ ...first, entries: [] });
  refused({ ...first, entries: [{ ...one, amount: '9' }, ...rest] });
  refused({ ...first, entries: resealed([{ ...(one as LedgerEntry), amount: '9' }, ...rest]) });
  refused({ ...first, month: '2025-12' });
  refused({ ...first, month: 'never' });
  refused({ ...first, entries: ledgerOf(actors) });
  actors.tell(ACCOUNT, first);
  refused(first);
  refused({ ...nextPrune(actors), before: null, month: '2026-02' });
  while (openingsOf(actors).at(-1)?.sequence !== 153) actors.tell(ACCOUNT, nextPrune(actors));
  refused(nextPrune(actors));
});

it('an account whose every entry is old has an empty ledger, and goes on from its opening (rule K84)', () => {
  const actors = stage();
  while (ledgerOf(actors).length > 1) actors.tell(ACCOUNT, nextPrune(actors));
  actors.advance((CHAIN_DAYS_MIN + 31) * DAY_MS);
  actors.tell(ACCOUNT, nextPrune(actors));
  assert.is(ledgerOf(actors).length, 0);
  judge(actors);
  actors.tell(ACCOUNT, words.depositEvent('dep-1', '7'));
  assert.is(ledgerOf(actors).length, 0, 'an old deposit is not credited again');
  actors.tell(ACCOUNT, words.depositEvent('dep-new', '7'));
  assert.ok(verifyLedger(ledgerOf(actors), openingsOf(actors).at(-1)).sound);
});

it('an audit log leaves in the same way, with the places of its entries (rule K84)', () => {
  const actors = stage();
  const entries = () => actors.list<AuditEntry>(LOG, 'audit');
  const openings = () => actors.list<Opening>(LOG, 'audit-opening');
  const head = entries().at(-1) as AuditEntry;
  const before = entries().length;
  for (const left of [before - PRUNED_MAX, before - 151, before - 153]) {
    actors.tell(LOG, { type: 'audit.prune', ...part(entries(), openings()) });
    assert.is(entries().length, left);
    assert.is(actors.list(LOG, 'audit-place').length, left);
    const verifier = new AuditVerifier('acct_1', openings().at(-1));
    verifier.add(entries());
    assert.equal(verifier.end(head), { sound: true, entries: before, removed: before - left });
  }
});

test.run();
