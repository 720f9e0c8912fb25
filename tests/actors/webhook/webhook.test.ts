import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { signingAddress, webhookEventId } from '../../../actors/terms/ids.ts';
import { announceWebhook, mintSigningSecret } from '../../../actors/terms/webhook.ts';
import type { DeliverInput } from '../../../actors/webhook/delivery.ts';
import type { DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';
import { signingKind } from '../../../actors/webhook/signing.ts';
import { webhookKind } from '../../../actors/webhook/webhook.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { START } from '../../support/model/words.ts';

const it = bounded(test, 30_000);
const HOUR = 3_600_000;
const OWNER = 'acct_1';
const JOB = 'vjob_1';
const TYPE = 'video.generation.completed';
const ID = webhookEventId(JOB, TYPE);
const HOOK = `webhook:${OWNER}/${ID}`;
const URL = 'https://example.com/hooks/secret-part?token=hush';
const DOCUMENT = '{"id":"vjob_1","usage":{"cost":0.100000000000000000000001}}';

function announced(): PureActors {
  const actors = new PureActors([webhookKind, signingKind], START);
  announce(actors);
  return actors;
}

function announce(actors: PureActors): void {
  const to = { account: OWNER, job: JOB, type: TYPE, url: URL, document: DOCUMENT, retentionMs: 24 * HOUR } as const;
  const effect = announceWebhook({ ...to, at: actors.now + 999 });
  if (effect.type !== 'send') throw new Error('an announcement is a message');
  assert.is(effect.to, HOOK);
  actors.tell(effect.to, effect.event);
}

const row = (actors: PureActors) => actors.row<DeliveryRecord>(HOOK, 'delivery', ID);
const running = (actors: PureActors) => actors.activitiesOf(HOOK)[0];
const inputOf = (actors: PureActors) => running(actors)?.input as unknown as DeliverInput;
const done = (actors: PureActors, outcome: string, retryInMs = 5_000) =>
  actors.tell(HOOK, {
    ...{ type: 'deliver.done', id: running(actors)?.id, attempt: 1 },
    result: { outcome, retryInMs },
  } as never);
const failed = (actors: PureActors, code: string, retriable = true) =>
  actors.tell(HOOK, {
    ...{ type: 'deliver.failed', id: running(actors)?.id, attempt: 1, key: 'k' },
    failure: { code, message: 'as told', retriable },
  } as never);
const died = (actors: PureActors) =>
  actors.tell(HOOK, { type: 'deliver.attempt', id: running(actors)?.id, attempt: 2 } as never);

it('the event is posted at once, with the exact text of the document and an id that follows from job and type', () => {
  const actors = announced();
  assert.match(ID, /^evt_[0-9a-f]{32}$/);
  assert.is.not(ID, webhookEventId(JOB, 'video.generation.expired'));
  const created = Math.floor((START + 999) / 1_000);
  const body = `{"id":"${ID}","type":"${TYPE}","created":${created},"data":${DOCUMENT}}`;
  assert.equal(inputOf(actors), { id: ID, account: OWNER, url: URL, body, attempt: 1 });
  assert.equal(row(actors), {
    ...{ id: ID, account: OWNER, job: JOB, type: TYPE, url: URL, status: 'delivering', createdAt: START },
    ...{ attempts: [{ at: START, outcome: null }], nextAttemptAt: null, endedAt: null },
  });
});

it('a waiting delivery that is hurried begins its next attempt, and never a ninth', () => {
  // rule V39
  const actors = announced();
  const hurry = (): unknown => actors.tell(HOOK, { type: 'webhook.hurry' });
  for (let attempt = 1; attempt < 8; attempt++) {
    done(actors, '5xx', 60_000);
    assert.is(row(actors)?.status, 'waiting');
    hurry();
    assert.equal([row(actors)?.status, inputOf(actors).attempt, inputOf(actors).id], ['delivering', attempt + 1, ID]);
    // A second wish during the attempt changes nothing, and neither does the back-off that it replaced.
    hurry();
    actors.advance(60_000);
    assert.equal([actors.activities.size, row(actors)?.attempts.length], [1, attempt + 1]);
  }
  done(actors, '5xx');
  assert.is(row(actors)?.status, 'failed');
  hurry();
  assert.equal([actors.activities.size, row(actors)?.status, row(actors)?.attempts.length], [0, 'failed', 8]);
  const delivered = announced();
  done(delivered, '2xx');
  delivered.tell(HOOK, { type: 'webhook.hurry' });
  assert.equal([delivered.activities.size, row(delivered)?.attempts.length], [0, 1]);
});

it('a repeated announcement changes nothing, whatever became of the first', () => {
  const actors = announced();
  actors.advance(1_000);
  announce(actors);
  assert.is(actors.activities.size, 1);
  done(actors, '2xx');
  const before = row(actors);
  announce(actors);
  assert.is(actors.activities.size, 0);
  assert.equal(row(actors), before);
});

it('a 2xx ends the delivery, and its record is shown as long as its job', () => {
  const actors = announced();
  actors.advance(10);
  done(actors, '2xx');
  assert.is(actors.state(HOOK), 'delivered');
  assert.is(row(actors)?.status, 'delivered');
  assert.is(row(actors)?.endedAt, START + 10);
  assert.equal(row(actors)?.attempts, [{ at: START, outcome: '2xx' }]);
  actors.advance(24 * HOUR - 11);
  assert.ok(row(actors));
  actors.advance(1);
  assert.is(row(actors), null);
  assert.is(actors.activities.size, 0);
});

it('eight attempts with the same id and body, each after the wait that the last one named', () => {
  const actors = announced();
  const first = inputOf(actors);
  for (let attempt = 1; attempt < 8; attempt++) {
    assert.equal(inputOf(actors), { ...first, attempt });
    const wait = 1_000 * attempt;
    done(actors, attempt % 2 === 0 ? 'timeout' : '5xx', wait);
    assert.is(row(actors)?.status, 'waiting');
    assert.is(row(actors)?.nextAttemptAt, actors.now + wait);
    actors.advance(wait - 1);
    assert.is(actors.activities.size, 0, 'the back-off is not over');
    actors.advance(1);
  }
  assert.is(inputOf(actors).attempt, 8);
  done(actors, '4xx');
  assert.is(actors.state(HOOK), 'failed');
  assert.equal(
    row(actors)?.attempts.map(({ outcome }) => outcome),
    ['5xx', 'timeout', '5xx', 'timeout', '5xx', 'timeout', '5xx', '4xx'],
  );
  actors.advance(HOUR);
  assert.is(actors.activities.size, 0);
});

it('an attempt that a dead runner may have sent counts; a ninth is never begun', () => {
  const actors = announced();
  died(actors);
  assert.equal(
    row(actors)?.attempts.map(({ outcome }) => outcome),
    ['interrupted', null],
  );
  for (let attempt = 3; attempt <= 8; attempt++) died(actors);
  assert.is(row(actors)?.attempts.length, 8);
  assert.is(actors.activities.size, 1);
  died(actors);
  assert.is(actors.state(HOOK), 'failed');
  assert.is(actors.activities.size, 0, 'the repeat that the runtime had prepared is cancelled');
  assert.is(row(actors)?.attempts.length, 8);
});

it('an attempt that never began does not count, for a week', () => {
  const actors = announced();
  for (let nth = 0; nth < 20; nth++) {
    failed(actors, 'not-begun');
    assert.equal(row(actors)?.attempts, []);
    actors.advance(HOUR);
    assert.is(inputOf(actors).attempt, 1);
  }
  actors.advance(7 * 24 * HOUR);
  failed(actors, 'not-begun');
  assert.is(row(actors)?.attempts.length, 1);
});

it('an event that crashes its nodes is given up', () => {
  const actors = announced();
  failed(actors, 'poison', false);
  assert.is(actors.state(HOOK), 'failed');
  assert.is(actors.timers.size, 1, 'only the end of its record');
});

it('any history: at most eight attempts, one at a time, none after a 2xx, and always the same text', () => {
  const act = fc.oneof(
    fc.record({ act: fc.constant('done'), outcome: fc.constantFrom('3xx', '4xx', '5xx', 'timeout', 'blocked') }),
    fc.record({ act: fc.constantFrom('accepted', 'died', 'error', 'not-begun', 'announce'), outcome: fc.constant('') }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const actors = announced();
      const { body } = inputOf(actors);
      let sent = 0;
      let isAccepted = false;
      for (const { act, outcome } of acts) {
        if (act === 'announce') announce(actors);
        actors.advance(HOUR);
        assert.ok(actors.activities.size <= 1);
        if (running(actors) === undefined) continue;
        assert.not(isAccepted, 'posted again after a recorded 2xx');
        assert.is(inputOf(actors).body, body);
        if (act !== 'not-begun' && act !== 'announce') sent++;
        if (act === 'died') died(actors);
        else if (act === 'error' || act === 'not-begun') failed(actors, act);
        else if (act !== 'announce') done(actors, act === 'accepted' ? '2xx' : outcome);
        isAccepted = act === 'accepted';
      }
      assert.ok(sent <= 8, `${sent} attempts`);
      assert.ok((row(actors)?.attempts.length ?? 0) <= 8);
      if (sent === 8 || isAccepted) assert.is(actors.activities.size, 0);
    }),
    { numRuns: 200 },
  );
});

it('why says what it waits for; operators see neither body nor path', () => {
  const actors = announced();
  assert.match(actors.explain(HOOK).join(), /attempt 1 of 8/);
  done(actors, '5xx', 9_000);
  assert.match(actors.explain(HOOK).join(' '), /waits 9 s for attempt 2 of 8\. Attempts so far: 5xx/);
  const shown = JSON.stringify(webhookKind.redact(actors.context(HOOK)));
  assert.match(shown, /https:\/\/example\.com/);
  assert.not.match(shown, /secret-part|hush|usage/);
});

it('a signing secret is minted once and rotated by request; the old version signs until the overlap is over', () => {
  const actors = new PureActors([signingKind], START);
  const address = signingAddress(OWNER);
  const mint = mintSigningSecret(OWNER);
  if (mint.type !== 'send') throw new Error('a minting is a message');
  actors.tell(mint.to, mint.event);
  const first = actors.row(address, 'signing', 'signing');
  assert.equal(first, { current: { version: 1, mintedAt: START }, previous: null });
  actors.advance(5_000);
  actors.tell(mint.to, mint.event);
  assert.equal(actors.row(address, 'signing', 'signing'), first);
  const rotate = { type: 'secret.rotate', request: 'r1', overlapMs: 1_000 };
  const rotated = actors.ask(address, rotate);
  const secondly = { ...rotate, request: 'r2' };
  const { now } = actors;
  assert.equal(rotated, {
    current: { version: 2, mintedAt: now },
    previous: { version: 1, mintedAt: START, validUntil: now + 1_000 },
  });
  actors.advance(10);
  assert.equal(actors.ask(address, rotate), rotated, 'the repeat of a request is the same rotation');
  const again = actors.ask<{ current: { version: number } }>(address, secondly);
  assert.is(again.current.version, 3);
});

it('a rotation before the first job mints the first version', () => {
  const actors = new PureActors([signingKind], START);
  const rotate = { type: 'secret.rotate', request: 'r1', overlapMs: 1_000 };
  const minted = { current: { version: 1, mintedAt: START }, previous: null };
  assert.equal(actors.ask(signingAddress(OWNER), rotate), minted);
  assert.equal(actors.ask(signingAddress(OWNER), rotate), minted);
});

test.run();
