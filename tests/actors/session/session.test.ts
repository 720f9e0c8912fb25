import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditKind } from '../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../actors/audit/audit-entry.ts';
import { invitationKind } from '../../../actors/session/invitation.ts';
import { sessionKind } from '../../../actors/session/session.ts';
import type { SessionRecord } from '../../../actors/session/session-record.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { KEY, START } from '../../support/model/words.ts';

const it = bounded(test);
const HOUR = 3_600_000;
const SESSION = 'session:acct_1/ses_1';
const INVITATION = 'invitation:acct_1/inv_1';
const LOG = 'audit:acct_1/log';
const DIGEST = 'd'.repeat(64);
const OPERATOR = { kind: 'operator', id: 'ops' } as const;
const BY_KEY = { kind: 'key', id: KEY, address: 'v4-192.0.2.1' } as const;

const open = (more = {}) =>
  ({ type: 'session.open', digest: DIGEST, lifetimeMs: 12 * HOUR, by: BY_KEY, agent: 'Firefox', ...more }) as const;
const invite = () => ({ type: 'invitation.create', digest: 'e'.repeat(64), lifetimeMs: HOUR, by: OPERATOR }) as const;
const accept = (more = {}) => ({
  ...{ type: 'invitation.accept', session: SESSION, digest: DIGEST, lifetimeMs: 12 * HOUR },
  ...{ agent: 'Firefox', from: 'v4-192.0.2.1', ...more },
});

const stage = (): PureActors => new PureActors([auditKind, sessionKind, invitationKind], START);
const row = (actors: PureActors, digest = DIGEST) => actors.row<SessionRecord>(SESSION, 'session', digest);
const actionsOf = (actors: PureActors) =>
  actors.list<AuditEntry>(LOG, 'audit').map(({ action, by }) => `${action} ${by.kind} ${by.id}`);

it('is found by the digest of its secret until its time is over', () => {
  const actors = stage();
  assert.equal(actors.ask(SESSION, open()), { expiresAt: START + 12 * HOUR });
  assert.equal(row(actors), {
    ...{ session: SESSION, account: 'acct_1', by: BY_KEY, agent: 'Firefox' },
    ...{ createdAt: START, expiresAt: START + 12 * HOUR },
  });
  actors.advance(12 * HOUR - 1);
  assert.ok(row(actors));
  actors.advance(1);
  assert.is(row(actors), null);
  assert.is(actors.state(SESSION), 'expired');
  assert.equal(
    actors.ask(SESSION, open({ digest: 'f'.repeat(64) })),
    { ended: true },
    'an ended session is not reopened',
  );
  assert.match(actors.explain(SESSION).join(), /expired/);
});

it('ends when it is closed, once, and both are in the audit log', () => {
  const actors = stage();
  actors.tell(SESSION, open());
  actors.ask(SESSION, open());
  assert.equal(actors.ask(SESSION, { type: 'session.close', by: BY_KEY } as never), { closed: true });
  assert.is(row(actors), null);
  assert.equal(actors.ask(SESSION, { type: 'session.close', by: OPERATOR } as never), { closed: true });
  assert.equal(actionsOf(actors), [`session.open key ${KEY}`, `session.close key ${KEY}`]);
  actors.advance(24 * HOUR);
  assert.is(actors.snapshots.has(SESSION), false, 'an ended session is forgotten');
});

it('keeps no secret and a bounded description of the browser', () => {
  const actors = stage();
  assert.throws(() => actors.tell(SESSION, open({ digest: 'short' })));
  actors.tell(SESSION, open({ agent: 'x'.repeat(5_000) }));
  assert.is(row(actors)?.agent.length, 200);
  const shown = sessionKind.redact(actors.context(SESSION));
  assert.not.match(JSON.stringify(shown), DIGEST);
});

it('an invitation opens one session, in the commit that ends it', () => {
  const actors = stage();
  assert.equal(actors.ask(INVITATION, invite()), { expiresAt: START + HOUR });
  assert.is(actors.list(INVITATION, 'invitation').length, 1);
  assert.equal(actors.ask(INVITATION, accept()), { expiresAt: START + 12 * HOUR });
  assert.equal(row(actors)?.by, { kind: 'operator', id: INVITATION, address: 'v4-192.0.2.1' });
  assert.is(actors.list(INVITATION, 'invitation').length, 0);
  assert.equal(actors.ask(INVITATION, accept()), { expiresAt: START + 12 * HOUR }, 'a repeat of the same acceptance');
  const other = accept({ session: 'session:acct_1/ses_2', digest: 'f'.repeat(64) });
  assert.equal(actors.ask(INVITATION, other), { ended: true });
  assert.is(actors.snapshots.has('session:acct_1/ses_2'), false);
  assert.equal(actionsOf(actors), ['invitation.create operator ops', `session.open operator ${INVITATION}`]);
});

it('an expired invitation opens none, also before its timer has run', () => {
  const actors = stage();
  actors.tell(INVITATION, invite());
  actors.timers.clear();
  actors.advance(HOUR);
  assert.equal(actors.ask(INVITATION, accept()), { ended: true });
  const timed = stage();
  timed.tell(INVITATION, invite());
  timed.advance(HOUR);
  assert.is(timed.state(INVITATION), 'expired');
  assert.equal(timed.ask(INVITATION, accept()), { ended: true });
  assert.is(timed.list(INVITATION, 'invitation').length, 0);
});

test.run();
