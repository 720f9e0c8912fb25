/** Webhooks across deaths at every point, on virtual time. (rule V38, rule V39, rule V40, rule V41, rule V42) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { webhookEventId } from '../../actors/terms/ids.ts';
import { findSigning } from '../../actors/webhook/signing.ts';
import { signingSecret } from '../../gateway/jobs/webhook/signing-secret.ts';
import { bounded } from '../support/bounded.ts';
import { verifyInNode } from '../support/webhook/documented-verifier.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { WebhookWorld } from './webhook-world.ts';
import { HOOK_LIMITS, inWorld, PEPPER, type Post, type Scene } from './world.ts';

const it = bounded(test, 60_000);
const ACCOUNT = 'acct_1';
const JOB = 'vjob_1';
const ID = webhookEventId(JOB, 'video.generation.completed');

const within = (title: string, run: (scene: Scene<WebhookWorld>) => Promise<void>): void =>
  it(title, () => inWorld(new WebhookWorld(), run));

/** Throws unless the account's present secret signed this post at the time it was sent. */
async function verify(via: VirtualNode, account: string, { body, signature, at, id }: Post): Promise<void> {
  const signing = await findSigning(via.node, account);
  assert.ok(signing);
  const secret = signingSecret(PEPPER, account, signing?.current as never);
  const event = verifyInNode({ body, header: signature, secret, now: Math.floor(at / 1_000) }) as { id: string };
  assert.is(event.id, id);
}

function assertSameEvent(posts: readonly Post[]): void {
  assert.is(new Set(posts.map(({ id, body, url }) => JSON.stringify([id, body, url]))).size, 1);
}

within('one post, signed with the secret of the account, and its record', async ({ world, other }) => {
  world.announce(other, ACCOUNT, JOB);
  const row = await world.until(other, ACCOUNT, ({ status }) => status === 'delivered');
  assert.is(row.id, ID);
  assert.is(world.posts.length, 1);
  await verify(other, ACCOUNT, world.posts[0] as Post);
});

within('eight attempts, each signed anew, after waits that grow and vary; then it has failed', async (scene) => {
  const { world, other } = scene;
  world.receive = () => ({ status: 503 });
  world.announce(other, ACCOUNT, JOB);
  const row = await world.until(other, ACCOUNT, ({ status }) => status === 'failed');
  assert.equal(
    row.attempts.map(({ outcome }) => outcome),
    Array(8).fill('5xx'),
  );
  assert.is(world.posts.length, 8);
  assertSameEvent(world.posts);
  for (const post of world.posts) await verify(other, ACCOUNT, post);
  const waits = world.posts.slice(1).map(({ at }, nth) => at - (world.posts[nth]?.at ?? 0));
  for (const [nth, wait] of waits.entries()) {
    const whole = Math.min(HOOK_LIMITS.backOffMsMax, HOOK_LIMITS.backOffMsMin * 4 ** nth);
    assert.ok(wait >= whole / 2, `wait ${nth}: ${wait} of ${whole}`);
  }
  assert.ok(new Set(waits).size > 3, 'the waits vary');
});

within('the owner dies while the delivery waits: another node posts it when it is due', async (scene) => {
  const { world, owner, other } = scene;
  world.receive = () => ({ status: world.posts.length < 3 ? 500 : 204 });
  world.announce(other, ACCOUNT, JOB);
  const waiting = await world.until(
    other,
    ACCOUNT,
    ({ attempts, status }) => status === 'waiting' && attempts.length === 2,
  );
  await owner.kill();
  await world.until(other, ACCOUNT, ({ status }) => status === 'delivered');
  assert.is(world.posts.length, 3);
  assertSameEvent(world.posts);
  assert.is.not(world.posts[2]?.node, owner.process.name);
  assert.ok((world.posts[2]?.at ?? 0) >= (waiting.nextAttemptAt ?? 0), 'not before the back-off is over');
  for (const post of world.posts) await verify(other, ACCOUNT, post);
});

within('the node dies between the 2xx and its record: one repeat with the same id and body', async (scene) => {
  const { world, owner, other } = scene;
  world.sent = async (node) => {
    if (node !== owner) return;
    await owner.kill();
    await new Promise(() => {});
  };
  world.announce(other, ACCOUNT, JOB);
  const row = await world.until(other, ACCOUNT, ({ status }) => status === 'delivered');
  assert.equal(
    row.attempts.map(({ outcome }) => outcome),
    ['interrupted', '2xx'],
  );
  assert.is(world.posts.length, 2);
  assertSameEvent(world.posts);
  for (const post of world.posts) await verify(other, ACCOUNT, post);
});

within('the node dies after the record of the 2xx: nothing is posted again', async ({ world, owner, other }) => {
  world.announce(other, ACCOUNT, JOB);
  await world.until(other, ACCOUNT, ({ status }) => status === 'delivered');
  await owner.kill();
  await world.nodes.until(() => other.node.ready && other.node.connected, 'another node has taken over');
  world.announce(other, ACCOUNT, JOB);
  await world.nodes.pause(30_000);
  assert.is(world.posts.length, 1);
});

within('every repeat by a dying node counts: at most eight posts in all', async ({ world, owner, other }) => {
  world.receive = () => ({ status: 500 });
  let isKilled = false;
  world.sent = async (node) => {
    if (node !== owner || isKilled || world.posts.length < 4) return;
    isKilled = true;
    await owner.kill();
    await new Promise(() => {});
  };
  world.announce(other, ACCOUNT, JOB);
  const row = await world.until(other, ACCOUNT, ({ status }) => status === 'failed');
  assert.ok(isKilled);
  assert.is(world.posts.length, 8);
  assert.is(row.attempts.filter(({ outcome }) => outcome === 'interrupted').length, 1);
  assertSameEvent(world.posts);
});

within('first jobs at once, over all nodes: one secret for each account', async ({ world, owner, other }) => {
  for (let nth = 0; nth < 10; nth++) {
    for (const account of [ACCOUNT, 'acct_2']) {
      world.announce(nth % 2 === 0 ? owner : other, account, `vjob_${account}_${nth}`);
    }
  }
  await world.nodes.until(() => world.posts.length >= 20, 'all are posted');
  const [first, second] = [await findSigning(other.node, ACCOUNT), await findSigning(other.node, 'acct_2')];
  assert.is(first?.current.version, 1);
  assert.is(second?.current.version, 1);
  for (const account of [ACCOUNT, 'acct_2']) {
    const own = world.posts.filter(({ body }) => body.includes(`vjob_${account}_`));
    assert.is(own.length, 10);
    for (const post of own) await verify(other, account, post);
  }
  const bodies = world.posts.map(({ body }) => body).join('');
  assert.not.match(bodies, /whsec_/);
});

within('a receiver that hangs has four posts of one node at once, and others go on', async ({ world, other }) => {
  let hanging = 0;
  let most = 0;
  world.receive = async ({ url }) => {
    if (!url.includes('slow')) return { status: 200 };
    most = Math.max(most, ++hanging);
    await world.nodes.pause(15_000);
    hanging--;
    return { failure: 'timeout', message: 'no answer' };
  };
  for (let nth = 0; nth < 12; nth++) world.announce(other, ACCOUNT, `vjob_slow_${nth}`, 'https://slow.example.com/');
  await world.nodes.until(() => hanging === 4, 'four posts hang');
  for (let nth = 0; nth < 12; nth++) world.announce(other, ACCOUNT, `vjob_fast_${nth}`, 'https://fast.example.com/');
  const isFast = ({ url }: Post): boolean => url.includes('fast');
  await world.nodes.until(() => world.posts.filter(isFast).length === 12, 'the others are delivered', 5_000);
  await world.nodes.until(() => world.posts.length === 24, 'all were tried', 60_000);
  assert.is(most, 4);
});

test.run();
