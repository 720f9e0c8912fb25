import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import { auditKind, listAudit, verifyAudit } from '../../../actors/audit/audit.ts';
import { AUDIT_DETAIL_MAX, type AuditEntry, AuditVerifier, hashAudit } from '../../../actors/audit/audit-entry.ts';
import { keyKind } from '../../../actors/key/key.ts';
import { AskError, type RowQuery, type RowRecord } from '../../../actors/runtime/index.ts';
import { auditAddress } from '../../../actors/terms/ids.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);
const LOG = auditAddress('acct_1');
const BY: Principal = { kind: 'key', id: 'key:acct_1/key_manager', address: '192.0.2.7' };

function open(): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  return actors;
}

const entriesOf = (actors: PureActors): AuditEntry[] =>
  actors.list<AuditEntry>(LOG, 'audit').sort((a, b) => a.sequence - b.sequence);

/** A log of six entries: a key's life and an account's. */
function busy(): PureActors {
  const actors = open();
  actors.tell(KEY, { ...words.createKeyEvent({ limit: '5', limitWindow: 'daily' }), by: BY } as never);
  actors.now += 1_000;
  for (const type of ['key.disable', 'key.enable', 'key.revoke']) actors.tell(KEY, { type, by: BY } as never);
  for (const type of ['account.suspend', 'account.resume']) actors.tell(ACCOUNT, { type, by: BY } as never);
  return actors;
}

/** The rows of a log as a store returns them, and its actor. */
function stored(entries: readonly AuditEntry[], head = entries.at(-1)) {
  const reader = {
    rows: async ({ collection, after, limit, order = 'ascending', where }: RowQuery) => {
      if (collection !== 'audit') return [];
      const rows = entries
        .filter((one) => where === undefined || [one.target, one.action][where.column] === where.equals)
        .map((one) => ({ sort: one.sequence, body: JSON.stringify(one) }) as unknown as RowRecord)
        .sort((a, b) => (order === 'ascending' ? a.sort - b.sort : b.sort - a.sort));
      const later = ({ sort }: RowRecord) =>
        order === 'ascending' ? sort - (after?.sort ?? 0) : (after?.sort ?? Infinity) - sort;
      return rows.filter((row) => later(row) > 0).slice(0, limit);
    },
  };
  const ask = async () => {
    if (head === undefined) throw new AskError(LOG, { code: 'absent' });
    return { sequence: head.sequence, hash: head.hash } as never;
  };
  return { reader, cluster: { ask }, withinMs: 1 };
}

it('each change of a key and of its account is one entry, in the commit of the change (rule K19)', () => {
  const actors = busy();
  const actions = entriesOf(actors).map(({ sequence, action }) => `${sequence} ${action}`);
  assert.equal(actions, [
    ...['1 key.create', '2 key.disable', '3 key.enable', '4 key.revoke'],
    ...['5 account.suspend', '6 account.resume'],
  ]);
  const [created, disabled] = entriesOf(actors) as [AuditEntry, AuditEntry];
  assert.equal(created.by, BY);
  assert.is(created.target, KEY);
  assert.is(created.account, 'acct_1');
  assert.is((created.detail as { limit: string }).limit, '5');
  assert.is(disabled.at, START + 1_000);
});

it('what changes nothing is no entry, and a change that fails leaves none', () => {
  const actors = busy();
  for (const type of ['key.revoke', 'key.enable', 'key.disable']) actors.tell(KEY, { type } as never);
  actors.tell(ACCOUNT, { type: 'account.resume', by: TESTER } as never);
  actors.tell(KEY, words.createKeyEvent());
  assert.throws(() => actors.tell('key:acct_1/key_2', words.createKeyEvent({ digest: 'short' })));
  assert.throws(() => actors.tell('key:acct_9/key_1', words.createKeyEvent()), /absent/);
  assert.is(entriesOf(actors).length, 6);
});

it('an entry contains no digest of a key (rule K3)', () => {
  assert.not.match(JSON.stringify(entriesOf(busy())), /d{64}/);
});

it('texts without bounds are cut', () => {
  const actors = open();
  actors.tell(KEY, words.createKeyEvent({ name: 'n'.repeat(AUDIT_DETAIL_MAX) }));
  actors.tell(KEY, { type: 'key.disable', by: { kind: 'session', id: 's'.repeat(1_000) } } as never);
  const [created, disabled] = entriesOf(actors) as [AuditEntry, AuditEntry];
  assert.equal(created.detail, { left_out: true });
  assert.is(disabled.by.id.length, 256);
});

it('verifies a whole log, an empty one, and the newest part of one', async () => {
  const entries = entriesOf(busy());
  assert.equal(await verifyAudit('acct_1', stored(entries)), { sound: true, entries: 6, removed: 0 });
  assert.equal(await verifyAudit('acct_1', stored([])), { sound: true, entries: 0, removed: 0 });
  assert.equal(await verifyAudit('acct_1', { ...stored(entries), entriesMax: 2 }), {
    sound: true,
    entries: 6,
    removed: 0,
  });
  const broken = [{ ...(entries[0] as AuditEntry), target: 'x' }, ...entries.slice(1)];
  assert.ok((await verifyAudit('acct_1', { ...stored(broken), entriesMax: 2 })).sound, 'the first is not looked at');
});

it('entries that are appended during the verification do not disturb it', async () => {
  const entries = entriesOf(busy());
  assert.equal(await verifyAudit('acct_1', stored(entries, entries[3])), { sound: true, entries: 6, removed: 0 });
});

it('detects a removed entry, also the newest one (rule K20)', async () => {
  const entries = entriesOf(busy());
  for (let at = 0; at < entries.length; at++) {
    const verdict = await verifyAudit(
      'acct_1',
      stored([...entries.slice(0, at), ...entries.slice(at + 1)], entries[5]),
    );
    assert.is(verdict.sound, false, `entry ${at + 1}`);
  }
});

it('detects a change of any member of any entry (rule K20)', () => {
  const changed: Record<string, unknown> = {
    sequence: 9,
    at: 1,
    by: { ...BY, address: '192.0.2.8' },
    detail: { a: 1 },
  };
  const whole = entriesOf(busy());
  for (let at = 0; at < whole.length; at++) {
    for (const member of Object.keys(whole[0] as object)) {
      const forged = whole.map((one, i) => (i === at ? { ...one, [member]: changed[member] ?? 'forged' } : one));
      assert.is(verdictOf(forged, whole).sound, false, `${member} of entry ${at + 1}`);
    }
  }
});

it('detects an entry that was replaced together with all that follow (rule K20)', () => {
  const whole = entriesOf(busy());
  let previous = whole[2]?.hash as string;
  const replaced = whole.map((entry, at) => {
    if (at < 3) return entry;
    const forged = { ...entry, target: 'key:acct_1/key_other', previous };
    previous = hashAudit(forged);
    return { ...forged, hash: previous };
  });
  assert.is(verdictOf(replaced, whole).sound, false);
});

function verdictOf(entries: readonly AuditEntry[], written: readonly AuditEntry[]) {
  const verifier = new AuditVerifier('acct_1');
  verifier.add(entries);
  return verifier.end(written.at(-1) as AuditEntry);
}

it('lists the newest first, page by page, and by target or action', async () => {
  const { reader } = stored(entriesOf(busy()));
  const sequences = async (query: object) =>
    (await listAudit(reader, 'acct_1', { limit: 4, before: null, ...query })).map(({ sequence }) => sequence);
  assert.equal(await sequences({}), [6, 5, 4, 3]);
  assert.equal(await sequences({ before: 3 }), [2, 1]);
  assert.equal(await sequences({ target: KEY }), [4, 3, 2, 1]);
  assert.equal(await sequences({ action: 'account.suspend' }), [5]);
});

test.run();
