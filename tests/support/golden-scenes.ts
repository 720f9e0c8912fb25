/** One actor of every kind in every state, driven with client events: the source of the golden snapshots. */

import { setup } from 'xstate';
import { configurationOf } from '../../actors/endpoint/evidence.ts';
import { kinds } from '../../actors/kinds.ts';
import { paymentKind } from '../../actors/payment/payment.ts';
import { transactionKind } from '../../actors/payment/transaction.ts';
import { ENDPOINT_WINDOW, windowAddress } from '../../actors/rate-window/rate-window.ts';
import { persist } from '../../actors/runtime/actor/charts/snapshot.ts';
import { auditAddress, signingAddress, workspaceAddress } from '../../actors/terms/ids.ts';
import { transactionAddress } from '../../actors/terms/payment.ts';
import { announceWebhook } from '../../actors/terms/webhook.ts';
import {
  addressOf,
  failedLine,
  lineDone,
  newBatch,
  newLine,
  refusedLine,
  resultsDone,
  submitEvent,
} from './model/batches.ts';
import { DECLARATION } from './model/endpoints.ts';
import * as paid from './model/payments.ts';
import { PureActors } from './model/pure-actors.ts';
import * as made from './model/video-jobs.ts';
import * as words from './model/words.ts';
import { ACCOUNT, KEY, START } from './model/words.ts';
import { TESTER } from './tester.ts';

/** A stored snapshot, as an object. */
export interface Golden {
  readonly value: unknown;
  readonly context: unknown;
  readonly status: string;
}

const FACTS = {
  ...{ id: 'prov_1', slug: 'alpha', name: 'Alpha', website: null, privacyPolicyUrl: null, termsOfServiceUrl: null },
  ...{ statusPageUrl: null, headquarters: 'CH', datacenters: null },
};

const WORKSPACE = {
  ...{ name: 'Team', slug: 'team', description: null, zeroRetention: true, partition: 'none' },
  ...{ allowed: ['alpha'], ignored: [] },
};

/** Snapshots of each kind, one per state. */
export function goldenScenes(): ReadonlyMap<string, readonly Golden[]> {
  const actors = new PureActors(kinds, START);
  const seen = new Map<string, Map<string, Golden>>();
  const look = (address: string, of = actors): void => {
    const snapshot = of.snapshots.get(address);
    if (snapshot === undefined) throw new Error(`the scene has no ${address}`);
    const kind = address.slice(0, address.indexOf(':'));
    const states = seen.get(kind) ?? new Map<string, Golden>();
    seen.set(kind, states);
    states.set(JSON.stringify(snapshot.value), JSON.parse(persist(snapshot)) as Golden);
  };
  const tell = (address: string, event: object): void => {
    actors.tell(address, event as { readonly type: string });
    look(address);
  };
  money(tell, look);
  files(tell);
  batches(tell);
  webhooks(tell);
  signIns(tell);
  payments(tell, look);
  look(ACCOUNT);
  tell(workspaceAddress(ACCOUNT.slice('account:'.length), 'ws_golden'), {
    type: 'workspace.create',
    by: TESTER,
    settings: WORKSPACE,
  });
  look(auditAddress(ACCOUNT.slice('account:'.length)));
  tell(REFUSALS, { type: 'refusal.note', refused: [] });
  look(REFUSALS);
  clusterLog(tell);
  supply(tell);
  const window = windowAddress(ENDPOINT_WINDOW);
  tell(window, { type: 'window.take', name: ENDPOINT_WINDOW, count: 1, limit: 3, windowMs: 60_000 });
  return new Map([...seen].map(([kind, states]) => [kind, [...states.values()]]));
}

type Tell = (address: string, event: object) => void;

function money(tell: Tell, look: (address: string) => void): void {
  tell(ACCOUNT, { type: 'account.create', name: 'Ada' });
  tell(ACCOUNT, words.depositEvent('dep-1', '10'));
  tell(KEY, words.createKeyEvent({ limit: '8', limitWindow: 'monthly' }));
  tell(KEY, words.admitEvent(words.request('gen-1', '2')));
  tell(KEY, words.admitEvent(words.request('gen-2', '1')));
  tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.125')));
  look(KEY);
  videos(tell);
  tell(KEY, { type: 'key.disable', by: TESTER });
  tell(KEY, { type: 'key.revoke', by: TESTER });
  tell(ACCOUNT, { type: 'account.suspend', by: TESTER });
}

function files(tell: Tell): void {
  const owner = ACCOUNT.slice('account:'.length);
  const store = (id: string): string => {
    const blob = { id: `blob_${id}`, bytes: 5, head: 'sealed' };
    const file = {
      id,
      account: owner,
      filename: 'a.txt',
      bytes: 5,
      mimeType: 'text/plain',
      purpose: 'user_data',
      blob,
    };
    const address = `file:${owner}/${id}`;
    tell(address, { type: 'file.store', file, lifetimeMs: 1_000, accountBytesMax: 1_000 });
    return address;
  };
  tell(store('file_1'), { type: 'file.delete' });
  tell(store('file_2'), { type: 'file.expire' });
  store('file_3');
}

/** Video jobs in every state. */
function videos(tell: Tell): void {
  const begun = (nth: number): string => {
    const job = made.newJob(nth);
    tell(made.addressOf(job), made.submitEvent(job));
    tell(made.addressOf(job), made.beginEvent());
    return made.addressOf(job);
  };
  const completed = begun(1);
  tell(completed, made.doneEvent(made.completed(1)));
  tell(completed, { type: 'job.window' });
  const cancelled = begun(2);
  tell(cancelled, made.submittedEvent());
  tell(cancelled, { type: 'job.cancel' });
  tell(cancelled, { type: 'abort.done', id: 'abort', attempt: 1, result: { settlement: null } });
  tell(begun(3), made.doneEvent(made.failed()));
}

/** Batches in every state. The eight slots of the account are in use at the end, so the last batch waits. */
function batches(tell: Tell): void {
  const made = (nth: number, line = newLine('a', 0)): string => {
    const batch = newBatch(nth, [line]);
    tell(addressOf(batch), submitEvent(batch));
    return addressOf(batch);
  };
  const ended = (batch: string, nth: number): void => tell(batch, resultsDone(nth));
  const completed = made(1);
  tell(completed, lineDone(0, failedLine()));
  ended(completed, 1);
  const cancelled = made(2);
  tell(cancelled, { type: 'batch.cancel' });
  ended(cancelled, 2);
  ended(made(3, refusedLine('a')), 3);
  const expired = made(4);
  tell(expired, { type: 'batch.expire' });
  tell(expired, lineDone(0, failedLine()));
  ended(expired, 4);
  for (let nth = 5; nth < 14; nth++) made(nth);
}

/** Sessions, invitations and codes, open and ended. */
function signIns(tell: (address: string, event: object) => void): void {
  const by = { kind: 'operator', id: 'ops' };
  const open = { type: 'session.open', lifetimeMs: 1_000, by, agent: 'Browser' };
  const opened = { ...open, digest: '1'.repeat(64) };
  tell('session:acct_1/ses_1', opened);
  tell('session:acct_1/ses_2', { ...open, digest: '2'.repeat(64) });
  tell('session:acct_1/ses_2', { type: 'session.close', by });
  tell('session:acct_1/ses_3', { ...open, digest: '3'.repeat(64) });
  tell('session:acct_1/ses_3', { type: 'session.expire' });
  const invitation = { type: 'invitation.create', lifetimeMs: 1_000, by };
  for (const at of ['1', '2', '3']) tell(`invitation:acct_1/inv_${at}`, { ...invitation, digest: at.repeat(64) });
  const { type: _, by: __, ...session } = opened;
  tell('invitation:acct_1/inv_2', {
    type: 'invitation.accept',
    session: 'session:acct_1/ses_1',
    from: 'v4',
    ...session,
  });
  tell('invitation:acct_1/inv_3', { type: 'invitation.expire' });
  const approval = { challenge: 'right', origin: 'https://app.example', limit: '1' };
  const issue = { type: 'code.issue', approval, lifetimeMs: 1_000, by };
  const trade = (at: string, challenge: string) => ({
    ...{ type: 'code.trade', trade: at, challenge },
    issued: {
      key: `key:acct_1/key_traded${at}`,
      digest: at.repeat(64),
      label: 'sk-gw-v1-abc...xyz',
      handle: at.repeat(64),
    },
  });
  for (const at of ['4', '5', '6']) tell(`issuance-code:acct_1/code_${at}`, { ...issue, digest: at.repeat(64) });
  tell('issuance-code:acct_1/code_5', trade('5', 'right'));
  tell('issuance-code:acct_1/code_6', trade('6', 'wrong'));
}

function webhooks(tell: Tell): void {
  const owner = ACCOUNT.slice('account:'.length);
  tell(signingAddress(owner), { type: 'secret.mint' });
  tell(signingAddress(owner), { type: 'secret.rotate', request: 'r1', overlapMs: 60_000 });
  const made = (job: string): string => {
    const announcement = { account: owner, job, type: 'video.generation.completed', at: START } as const;
    const text = { url: 'https://example.com/hook', document: '{}', retentionMs: 60_000 };
    const effect = announceWebhook({ ...announcement, ...text });
    if (effect.type !== 'send') throw new Error('an announcement is a message');
    tell(effect.to, effect.event);
    return effect.to;
  };
  const ended = (webhook: string, outcome: string): void =>
    tell(webhook, { type: 'deliver.done', id: '1', attempt: 1, result: { outcome, retryInMs: 5_000 } });
  ended(made('vjob_1'), '2xx');
  ended(made('vjob_2'), '5xx');
  const failure = { code: 'poison', message: 'three nodes crashed', retriable: false };
  tell(made('vjob_3'), { type: 'deliver.failed', id: '1', attempt: 3, key: 'k', failure });
  made('vjob_4');
}

/** Payments in every state, and their transaction. */
function payments(tell: Tell, look: (address: string, of?: PureActors) => void): void {
  const pay = (nth: number): string => {
    tell(paid.addressOf(nth), paid.payEvent(nth));
    return paid.addressOf(nth);
  };
  const done = (result: object) => ({ type: 'settle.done', id: '1', attempt: 1, result });
  const failed = (retriable: boolean) => ({
    ...{ type: 'settle.failed', id: '1', attempt: 1, key: 'k' },
    failure: { code: 'unknown', message: 'no answer', retriable },
  });
  const settled = done({ outcome: 'settled', transaction: '0xT1' });
  tell(pay(1), settled);
  tell(pay(2), done({ outcome: 'refused', reason: 'insufficient_funds', isAsked: true }));
  tell(pay(3), failed(false));
  tell(pay(4), failed(true));
  pay(5);
  const { network } = paid.newPayment(1);
  look(transactionAddress(network, '0xT1'));
  // The transaction of this one does not answer.
  const alone = new PureActors([paymentKind, { ...transactionKind, machine: SILENT }], START);
  alone.tell(paid.addressOf(1), paid.payEvent(1));
  alone.tell(paid.addressOf(1), settled);
  look(paid.addressOf(1), alone);
}

const REFUSALS = 'refusal-log:acct_1/newest';

function clusterLog(tell: Tell): void {
  const alarm = { severity: 'critical', what: 'The node n2 is dead', since: null, todo: '', link: '/cluster' };
  const alarms = [{ ...alarm, name: 'node-dead', subject: 'n2' }];
  const resumption = { incarnation: 'i1', fromIncarnation: 'i2', node: 'n1', shards: 1, firstCommitAt: 1, loaded: 0 };
  tell('cluster-log:cluster', { type: 'alarms.found', alarms });
  tell('cluster-log:cluster', { type: 'work.resumed', resumption: { ...resumption, kinds: [] } });
}

const SILENT = setup({}).createMachine({
  context: {},
  options: { maxIterations: 1 },
  on: { 'transaction.claim': {} },
});

function supply(tell: Tell): void {
  const observed = (outcomes: string): object => ({
    type: 'attempts.observed',
    attempts: [...outcomes].map((letter) => ({
      outcome: letter === 's' ? 'success' : 'error',
      streamed: true,
      ttftMs: 300,
      ...(letter === 's' ? {} : { failure: { category: 'timeout', text: 'no answer within 60000 ms' } }),
    })),
  });
  const endpoint = 'endpoint:ep_1';
  tell('provider:alpha', { type: 'provider.declare', facts: FACTS, digest: 'one' });
  tell('provider:alpha', { type: 'provider.withdraw' });
  tell(endpoint, { type: 'endpoint.declare', declaration: DECLARATION, digest: 'one' });
  const found = { configuration: configurationOf(DECLARATION), version: 1, detail: 'as asked' };
  tell(endpoint, { type: 'check.observed', check: 'tool_dispatch', verdict: 'passed', ...found });
  tell(endpoint, { type: 'probe.observed', failure: { category: 'status', text: 'status 500' } });
  for (const outcomes of ['sssss', 'ee', 'eeeeeee']) tell(endpoint, observed(outcomes));
  tell(endpoint, { type: 'endpoint.withdraw' });
}
