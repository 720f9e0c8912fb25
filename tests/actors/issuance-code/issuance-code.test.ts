import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../actors/audit/audit-entry.ts';
import { issuanceCodeKind } from '../../../actors/issuance-code/issuance-code.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { challengeOf } from '../../../actors/terms/one-time.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { ACCOUNT, START } from '../../support/model/words.ts';

const it = bounded(test);
const MINUTE = 60_000;
const CODE = 'issuance-code:acct_1/code_1';
const VERIFIER = 'v'.repeat(43);
const PERSON = { kind: 'session', id: 'session:acct_1/ses_1', address: 'v4-192.0.2.1' } as const;
const APPROVAL = { challenge: challengeOf(VERIFIER), origin: 'https://app.example', limit: '2.5' };
const REFUSED = { granted: false };

const issue = (approval = {}) => ({
  ...{ type: 'code.issue', digest: 'c'.repeat(64), approval: { ...APPROVAL, ...approval } },
  ...{ lifetimeMs: 10 * MINUTE, by: PERSON },
});
const keyOf = (id: string): string => `key:acct_1/key_${id}`;
const digestOf = (id: string): string => id.charCodeAt(0).toString(16).padStart(64, '0');
const trade = (id: string, verifier = VERIFIER) => ({
  ...{ type: 'code.trade', trade: id, challenge: challengeOf(verifier) },
  issued: { key: keyOf(id), digest: digestOf(id), label: 'sk-gw-v1-abc...xyz', handle: 'f'.repeat(64) },
});
const granted = (id: string, created = true) => ({ key: keyOf(id), label: 'sk-gw-v1-abc...xyz', created });

function stage(): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind, issuanceCodeKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(CODE, issue());
  return actors;
}
const keys = (actors: PureActors): number => [...actors.snapshots.keys()].filter((at) => at.startsWith('key:')).length;
const rows = (actors: PureActors): number => actors.list(CODE, 'issuance-code').length;

it('a right verifier creates one key with the approved limit, in the commit that consumes the code (rule K23)', () => {
  const actors = stage();
  assert.is(rows(actors), 1);
  assert.equal(actors.ask(CODE, trade('a')), granted('a'));
  assert.is(rows(actors), 0);
  const view = actors.ask<KeyView>(keyOf('a'), { type: 'key.show' });
  assert.equal([view.limit, view.limitWindow, view.kind, view.name], ['2.5', null, 'inference', 'app.example']);
  assert.equal([view.origin, view.handle], ['https://app.example', 'f'.repeat(64)]);
  assert.equal(view.createdBy, PERSON);
  assert.equal(actors.ask(CODE, trade('b')), REFUSED);
  assert.is(keys(actors), 1);
});

it('a repeat of the trade that was served is answered as the first time', () => {
  const actors = stage();
  actors.tell(CODE, trade('a'));
  assert.equal(actors.ask(CODE, trade('a')), granted('a', false));
  assert.is(keys(actors), 1);
});

it('a wrong verifier consumes the code, creates nothing and is recorded for the owner (rule K23)', () => {
  const actors = stage();
  assert.equal(actors.ask(CODE, trade('a', 'w'.repeat(43))), REFUSED);
  assert.is(rows(actors), 0);
  assert.equal(actors.ask(CODE, trade('a', 'w'.repeat(43))), REFUSED);
  assert.equal(actors.ask(CODE, trade('b')), REFUSED);
  assert.is(keys(actors), 0);
  const last = actors.list<AuditEntry>('audit:acct_1/log', 'audit').at(-1);
  assert.equal([last?.action, last?.result], ['grant.trade', 'refused']);
});

it('a code is read within ten minutes or not at all, also before its timer has run', () => {
  const late = stage();
  late.timers.clear();
  late.advance(10 * MINUTE);
  assert.equal(late.ask(CODE, trade('a')), REFUSED);
  const just = stage();
  just.advance(10 * MINUTE - 1);
  assert.equal(just.ask(CODE, trade('a')), granted('a'));
  const over = stage();
  over.advance(10 * MINUTE);
  assert.is(over.snapshots.has(CODE), false);
  assert.is(rows(over), 0);
});

it('a repeated approval issues nothing more and does not change what was approved (rule K30)', () => {
  const actors = stage();
  const answer = actors.ask<{ approval: unknown }>(CODE, issue({ limit: '1000', origin: 'https://evil.example' }));
  assert.equal(answer.approval, APPROVAL);
  assert.is(rows(actors), 1);
  actors.tell(CODE, trade('a'));
  actors.tell(CODE, issue());
  assert.is(rows(actors), 0, 'an approval after the trade brings no code back');
  assert.equal(actors.ask(CODE, trade('b')), REFUSED);
});

it('whatever is sent in whatever order, one code becomes at most one key (rule K23)', () => {
  const command = fc.oneof(
    fc.record({
      what: fc.constant('trade'),
      id: fc.constantFrom('a', 'b', 'c'),
      right: fc.boolean(),
      ms: fc.constant(0),
    }),
    fc.record({ what: fc.constant('issue'), id: fc.constant(''), right: fc.constant(true), ms: fc.constant(0) }),
    fc.record({ what: fc.constant('wait'), id: fc.constant(''), right: fc.constant(true), ms: fc.nat(4 * MINUTE) }),
  );
  let gained = 0;
  fc.assert(
    fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
      const actors = stage();
      let read = false;
      let key: string | null = null;
      for (const { what, id, right, ms } of commands) {
        if (what === 'wait') actors.advance(ms);
        if (!actors.snapshots.has(CODE)) break;
        if (what === 'issue') actors.tell(CODE, issue());
        if (what !== 'trade') continue;
        const answer = actors.ask(CODE, trade(id, right ? VERIFIER : 'w'.repeat(43)));
        if (!read && right) key = id;
        assert.equal(answer, key === id && key !== null ? granted(id, !read) : REFUSED);
        read = true;
      }
      assert.is(keys(actors), key === null ? 0 : 1);
      gained += keys(actors);
    }),
    { numRuns: 200 },
  );
  assert.ok(gained > 20, `only ${gained} runs created a key`);
});

test.run();
