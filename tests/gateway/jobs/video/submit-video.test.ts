import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../../actors/endpoint/endpoint.ts';
import { AskError, type Json, SealBroken, systemClock } from '../../../../actors/runtime/index.ts';
import type { Refusal } from '../../../../actors/terms/refusal.ts';
import { paymentRequired } from '../../../../actors/terms/refusal.ts';
import type { NewVideoJob } from '../../../../actors/video-job/job.ts';
import config from '../../../../cluster.config.ts';
import type { FileServices } from '../../../../gateway/files/file-services.ts';
import { Planner } from '../../../../gateway/inference/planner.ts';
import { openPrompt } from '../../../../gateway/jobs/video/seal-prompt.ts';
import { type SubmittingServices, submitVideoRequest } from '../../../../gateway/jobs/video/submit-video.ts';
import { videoBounds } from '../../../../gateway/jobs/video/video-schema.ts';
import { configuredRouting } from '../../../../gateway/routing/workspaces.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { SECOND } from '../../../fixtures/models/clips.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { ASK, clips, onBoard } from '../../routing/video/scene.ts';

const it = bounded(test);

const CALLER = { account: 'account:acct_a', key: 'key:acct_a/key_k', kind: 'inference' } as const;

/** Answers the ask of a submission: accepts it, or refuses it as the key or the account would. */
type Judge = (job: NewVideoJob) => Refusal | null;

function services(
  judge: Judge,
  rows: Readonly<Record<string, object>> = {},
): { readonly services: SubmittingServices; readonly asked: NewVideoJob[]; readonly keys: MemoryKeyStore } {
  const asked: NewVideoJob[] = [];
  const topic = onBoard(
    ['0.01', '0.5', '0.2'].map((cost_usd, nth) =>
      clips(`p${nth}`, { video: { max_seconds: 5, fps: [10] }, pricing: [{ ...SECOND, cost_usd }] }),
    ),
  );
  const cluster = {
    now: () => 1_700_000_000_000,
    board: { topic: (name: string) => (name === ENDPOINTS_TOPIC ? topic : new Map()) },
    rows: { row: async (_owner: string, collection: string, id: string) => rows[`${collection} ${id}`] ?? null },
    ask: async (address: string, event: { readonly job: NewVideoJob }): Promise<Json> => {
      asked.push(event.job);
      const refusal = judge(event.job);
      if (refusal === null) return { id: event.job.id, status: 'pending', generation: event.job.generation };
      const body = { refusal } as unknown as Json;
      const by = { by: CALLER.account, event: 'hold.open', body };
      throw new AskError(address, { code: 'rejected', detail: 'refused', refusal: by });
    },
  };
  const random = { fraction: () => 0.5, bytes: (count: number) => new Uint8Array(count) };
  const keys = new MemoryKeyStore({ clock: { ...systemClock, now: cluster.now }, random });
  const workspaces = { routingOf: () => configuredRouting(config) };
  const node = { cluster, random, clock: systemClock } as unknown as Pick<FileServices, 'cluster' | 'random' | 'clock'>;
  const made: SubmittingServices = {
    files: { ...node, bytes: { keys }, askMs: 1_000 } as unknown as FileServices,
    planner: new Planner({ ...node, workspaces }),
    bounds: videoBounds(config),
    storeFull: () => false,
  };
  return { services: made, asked, keys };
}

const SUBMISSION = {
  ...{ generation: 'gen-1', caller: CALLER, idempotency: undefined, isGone: () => false },
  attribution: { appTitle: 'Cutter', appUrl: null },
  request: { ...ASK, preferences: { allowFallbacks: true, sort: 'price' } },
} as const;

async function refusalOf(judge: Judge): Promise<{ readonly error: GatewayError; readonly asked: NewVideoJob[] }> {
  const { services: made, asked } = services(judge);
  const error = await submitVideoRequest(made, SUBMISSION).then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.instance(error, GatewayError, String(error));
  return { error: error as GatewayError, asked };
}

const amounts = (asked: readonly NewVideoJob[]): unknown =>
  asked.map(({ hold, candidates }) => [hold.amount, candidates.map(({ tag }) => tag)]);

it('one ask holds the largest bound of the candidates, in the name of the first (rule V20)', async () => {
  const { services: made, asked } = services(() => null);
  await submitVideoRequest(made, SUBMISSION);
  // 5 seconds and one frame of 0.1 s at 0.5 USD.
  assert.equal(amounts(asked), [['2.55', ['p0', 'p2', 'p1']]]);
  const [job] = asked;
  assert.equal(
    [job?.hold.provider, job?.hold.endpoint, job?.hold.appTitle],
    ['P0', job?.candidates[0]?.endpoint, 'Cutter'],
  );
  assert.equal(job?.hold.route?.candidates, [{ endpoint: 'p0' }, { endpoint: 'p2' }, { endpoint: 'p1' }]);
  assert.equal([job?.assets, job?.unrenderable, job?.generation], [null, null, 'gen-1']);
});

it('where the money does not cover all candidates, one further ask is made with those that it covers', async () => {
  const short =
    (available: string): Judge =>
    ({ hold }) =>
      Number(hold.amount) <= Number(available)
        ? null
        : paymentRequired('account', { required: hold.amount, available });
  const { services: made, asked } = services(short('1.2'));
  await submitVideoRequest(made, SUBMISSION);
  assert.equal(amounts(asked), [
    ['2.55', ['p0', 'p2', 'p1']],
    ['1.02', ['p0', 'p2']],
  ]);
  const none = await refusalOf(short('0.05'));
  assert.equal([none.error.status, none.error.metadata?.required, none.asked.length], [402, '2.55', 1]);
  // The money shrank meanwhile: no third ask.
  let available = 1.2;
  const shrinking = await refusalOf(({ hold }) => {
    const refusal = paymentRequired('key', { required: hold.amount, available: String(available) });
    available = 0.1;
    return refusal;
  });
  assert.equal([shrinking.error.status, shrinking.error.metadata?.required, shrinking.asked.length], [402, '1.02', 2]);
});

it('the prompt travels sealed, and opens only as that of this job of this account (rule B51)', async () => {
  // rule B51, rule V13
  const { services: made, asked, keys } = services(() => null);
  await submitVideoRequest(made, SUBMISSION);
  const { id = '', account = '', ask } = asked[0] ?? {};
  assert.not.match(JSON.stringify(asked), /a lake/);
  const prompt = ask?.prompt ?? null;
  assert.is(await openPrompt(keys, { account, job: id }, prompt), 'a lake');
  for (const other of [
    { account: `${account}x`, job: id },
    { account, job: `${id.slice(0, -1)}_` },
  ]) {
    assert.instance(await failureOf(openPrompt(keys, other, prompt)), SealBroken);
  }
  keys.cut = true;
  const refused = (await failureOf(submitVideoRequest(made, SUBMISSION))) as GatewayError;
  assert.equal([refused.status, asked.length], [503, 1]);
});

it('any other refusal is final', async () => {
  const refusal: Refusal = { status: 422, type: 'unprocessable', message: 'another body' };
  const { error, asked } = await refusalOf(() => refusal);
  assert.equal([error.status, error.message, asked.length], [422, 'another body', 1]);
});

it('a job that no endpoint can render holds nothing and carries the reason', async () => {
  const { services: made, asked } = services(() => null);
  await submitVideoRequest(made, { ...SUBMISSION, request: { ...ASK, duration: '4.55' } });
  const [job] = asked;
  assert.equal([job?.candidates, job?.hold.amount], [[], '0']);
  assert.equal([job?.unrenderable?.code, job?.unrenderable?.error_type], [422, 'unprocessable']);
  assert.match(job?.unrenderable?.message ?? '', 'duration cannot be met (4.55 seconds)');
});

it('a repeat of an idempotency key is answered from the record, whatever became of the endpoints (rule V12)', async () => {
  // rule V12
  const id = `vjob_${'0'.repeat(32)}`;
  const claim = { generation: id, body: 'digest', status: 'settled', createdAt: 1_700_000_000_000 - 60_000 };
  const rows = (more: object = {}) => ({
    'claim once': { body: JSON.stringify({ ...claim, ...more }) },
    [`job ${id}`]: { body: JSON.stringify({ id, status: 'completed' }) },
  });
  const idempotency = { key: 'once', body: 'digest' };
  const unserved = { ...SUBMISSION, idempotency, request: { ...SUBMISSION.request, model: 'm/gone' } };
  const known = services(() => null, rows());
  const recorded = await submitVideoRequest(known.services, unserved);
  assert.equal([recorded.id, recorded.status, known.asked.length], [id, 'completed', 0]);
  // Another body, and a key whose day is over, are judged by the account.
  for (const other of [{ body: 'another' }, { createdAt: 0 }]) {
    const made = services(() => null, rows(other));
    await submitVideoRequest(made.services, { ...SUBMISSION, idempotency });
    assert.is(made.asked.length, 1);
  }
});

it('a full disk is told before anything is planned (rule E51)', async () => {
  const { services: made, asked } = services(() => null);
  const full = { ...made, storeFull: () => true };
  const error = await submitVideoRequest(full, SUBMISSION).catch((thrown: GatewayError) => thrown);
  assert.equal([(error as GatewayError).status, asked.length], [503, 0]);
});

test.run();
