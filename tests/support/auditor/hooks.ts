import { createHmac } from 'node:crypto';
import { type Check, Checking } from './check.ts';
import type { HookPost, VideoEvidence } from './video-evidence.ts';
import type { VideoJoined } from './videos-joined.ts';

const ATTEMPTS_MAX = 8;
const TOLERANCE_SECONDS = 300;
/** The status of a job at the moment of an event of this type. */
const STATUS: Readonly<Record<string, string>> = {
  'video.generation.completed': 'completed',
  'video.generation.expired': 'expired',
};

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string; readonly status: string };
}

/** One event id for each job and type, and only for what happened. */
export function eventsAreOnce({ posts }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V38', 'each event type at most once per job, and never for a failed one');
  const ids = new Map<string, string>();
  for (const post of posts) {
    const { id, type, data } = eventOf(post);
    const name = `${data.id} ${type}`;
    const known = ids.get(name) ?? id;
    ids.set(name, known);
    check.expect(known === id && id === post.id, () => `${name}: ids ${known}, ${id}, header ${post.id}`);
    check.expect(STATUS[type] === data.status, () => `${name}: the document says ${data.status}`);
    const job = jobs.find((each) => each.id === data.id);
    const status = job?.last?.document.status;
    const happened = status === STATUS[type] || (status === 'expired' && type === 'video.generation.completed');
    check.expect(happened, () => `${name}: the job is ${status ?? 'unknown'}`);
    check.expect(job?.submission.callback ?? false, () => `${name}: the job named no callback`);
  }
  return check.done();
}

/**
 * At most eight posts of one text, each in a recorded attempt. A receiver answers 2xx once, and once more for each
 * attempt whose answer died with its node; nothing is posted after the recorded 2xx.
 */
export function deliveriesAreBounded({ posts, deliveries }: VideoEvidence): Check {
  const check = new Checking('rule V39', 'at most eight posts, the same text, none after a recorded 2xx');
  for (const { id, status, attempts } of deliveries) {
    const own = posts.filter((post) => post.id === id);
    check.expect(own.length <= ATTEMPTS_MAX, () => `${id}: ${own.length} posts`);
    check.expect(new Set(own.map(({ body }) => body)).size <= 1, () => `${id}: different texts`);
    check.expect(own.length <= attempts.length, () => `${id}: ${own.length} posts in ${attempts.length} attempts`);
    const accepted = own.filter(isAccepted).length;
    const interrupted = attempts.filter(({ outcome }) => outcome === 'interrupted').length;
    check.expect(accepted <= 1 + interrupted, () => `${id}: ${accepted} times 2xx, ${interrupted} interrupted`);
    const after = own.length - 1 - own.findLastIndex(isAccepted);
    const over = status !== 'delivered' || after <= interrupted;
    check.expect(over, () => `${id}: ${after} posts after the last 2xx`);
    check.expect(status === 'delivered' || status === 'failed', () => `${id}: ${status} at the end`);
    check.expect(status !== 'delivered' || accepted > 0, () => `${id}: delivered, but the receiver knows of no 2xx`);
    check.expect(attempts.length <= ATTEMPTS_MAX, () => `${id}: ${attempts.length} attempts recorded`);
  }
  return check.done();
}

/** The event exists if and only if the change of state does. */
export function eventsFollowCommits({ deliveries }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V40', 'no event lost, none invented');
  for (const { id, submission, last } of jobs) {
    const own = deliveries.filter(({ job }) => job === id).map(({ type }) => type);
    const status = last?.document.status;
    const expected = Object.keys(STATUS).filter(
      (type) =>
        submission.callback &&
        (status === STATUS[type] || (status === 'expired' && type === 'video.generation.completed')),
    );
    check.expect(
      own.toSorted().join() === expected.toSorted().join(),
      () => `${id}: ${status}, events [${own}], expected [${expected}]`,
    );
  }
  return check.done();
}

/** Each post carries the HMAC of its exact bytes under its account's secret, made when it was sent. */
export function signaturesHold({ posts, secrets, slackMs }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking(
    'rule V41',
    'signed over the exact bytes with the secret of the account, at the time of the post',
  );
  for (const post of posts) {
    const account = jobs.find(({ id }) => id === eventOf(post).data.id)?.submission.account;
    const secret = secrets.find((each) => each.account === account)?.secret ?? '';
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(post.signature) ?? [];
    const expected = createHmac('sha256', secret).update(`${t}.`).update(post.body).digest('hex');
    check.expect(v1 === expected, () => `${post.id}: ${post.signature}, expected ${expected}`);
    const age = Math.abs(post.at / 1_000 - Number(t));
    check.expect(age < TOLERANCE_SECONDS + slackMs / 1_000, () => `${post.id}: signed ${age} s from its arrival`);
  }
  return check.done();
}

/** An account has one secret, no two accounts the same, and no post contains one. */
export function secretsAreStable({ secrets, posts }: VideoEvidence): Check {
  const check = new Checking('rule V42', 'one secret per account, stable and in no post');
  const owners = new Map<string, string>();
  for (const { account, secret } of secrets) {
    const first = secrets.find((each) => each.account === account)?.secret;
    check.expect(first === secret, () => `${account}: two secrets`);
    const owner = owners.get(secret) ?? account;
    owners.set(secret, owner);
    check.expect(owner === account, () => `${account} and ${owner} have the same secret`);
  }
  for (const { id, body } of posts) check.expect(!body.includes('whsec_'), () => `${id}: the body contains a secret`);
  return check.done();
}

function isAccepted({ status }: HookPost): boolean {
  return status >= 200 && status < 300;
}

function eventOf({ body }: HookPost): Event {
  return JSON.parse(body) as Event;
}
