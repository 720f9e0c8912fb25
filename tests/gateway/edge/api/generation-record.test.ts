import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation, Settlement } from '../../../../actors/terms/hold.ts';
import { renderExact } from '../../../../gateway/edge/api/exact-json.ts';
import { renderGeneration } from '../../../../gateway/edge/api/generation-record.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 2_000);

const RUNNING: Generation = {
  generation: 'gen-1',
  attempt: 1,
  amount: '0.000000000000000000000003',
  gateway: 'i1',
  deadlineAt: 9,
  model: 'a/b',
  endpoint: 'ep_1',
  provider: 'P',
  tariff: 't',
  streamed: true,
  appTitle: null,
  appUrl: null,
  user: null,
  sessionId: null,
  metadata: '{"a":1}',
  status: 'running',
  key: 'key:acct_1/key_1',
  createdAt: 0,
  endedAt: null,
  settlement: null,
  release: null,
  late: false,
  overshoot: null,
};

/** What strict clients refuse to miss (conventions 1.4). */
const REQUIRED = [
  ...[
    'id',
    'model',
    'created_at',
    'origin',
    'total_cost',
    'usage',
    'is_byok',
    'upstream_id',
    'provider_name',
    'router',
  ],
  ...['finish_reason', 'native_finish_reason', 'external_user', 'http_referer', 'user_agent', 'web_search_engine'],
  ...['workspace_id', 'preset_id', 'service_tier', 'app_id', 'streamed', 'cancelled', 'latency', 'generation_time'],
  ...['moderation_latency', 'cache_discount', 'upstream_inference_cost', 'tokens_prompt', 'tokens_completion'],
  ...['native_tokens_prompt', 'native_tokens_completion', 'native_tokens_reasoning', 'native_tokens_cached'],
  ...['native_tokens_completion_images', 'num_media_prompt', 'num_media_completion', 'num_input_audio_prompt'],
  ...['num_search_results', 'num_fetches', 'api_type', 'data_region', 'provider_responses'],
];

it('shows a running generation with every member a strict client asks for', () => {
  const shown = renderGeneration('gen-1', RUNNING);
  for (const member of REQUIRED) assert.ok(member in shown && shown[member] !== undefined, member);
  const text = renderExact(shown);
  assert.match(text, /"status":"running"/);
  assert.match(text, /"hold_cost":0\.000000000000000000000003[,}]/);
  assert.match(text, /"usage":0,/);
  assert.match(text, /"metadata":\{"a":1\}/);
  assert.match(text, /"finish_reason":null/);
});

const SETTLEMENT: Settlement = {
  generation: 'gen-1',
  attempt: 1,
  cost: '0.000000000000000000000002',
  unpriced: ['image'],
  promptTokens: 3,
  completionTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  estimated: false,
  finishReason: 'stop',
  nativeFinishReason: 'stop',
  upstreamId: 'u',
  cancelled: false,
  latencyMs: 1,
  generationMs: 2,
  attempts: [],
};

it('shows what a settled one was charged, and why a released one was not', () => {
  const settled = renderGeneration('gen-1', { ...RUNNING, status: 'settled', endedAt: 1_000, settlement: SETTLEMENT });
  assert.match(renderExact(settled), /"usage":0\.000000000000000000000002,"total_cost":0\.000000000000000000000002,/);
  assert.is(settled.settled_at, '1970-01-01T00:00:01.000Z');
  assert.is(settled.native_tokens_completion, null);
  assert.equal(settled.unpriced, ['image']);
  const release = { generation: 'gen-1', attempt: 1, reason: 'gone', status: 502, attempts: [] };
  const released = renderGeneration('gen-1', { ...RUNNING, status: 'released', endedAt: 1_000, release });
  assert.equal(released.failure, { reason: 'gone', status: 502 });
  assert.is(released.settled_at, null);
});

it('tells the whole story: the plan and its refusals, every attempt, every amount held, and the times', () => {
  const settlement: Settlement = {
    ...SETTLEMENT,
    admittedMs: 3,
    honoured: { seed: true, logprobs: false },
    imageTokens: 7,
    cacheWrite1hTokens: 4,
    unmeasured: ['prompt'],
    media: { images: 2, megapixels: '2.5', inputImages: 1 },
    conditions: { at: 0, promptTokens: 9 },
    attempts: [
      { endpoint: 'ep_0', provider: 'Q', status: 500, outcome: 'failed', latencyMs: 4, reason: 'unavailable' },
      {
        endpoint: 'ep_2',
        provider: 'R',
        status: null,
        outcome: 'skipped',
        latencyMs: null,
        reason: 'payment_required',
      },
      { endpoint: 'ep_1', provider: 'P', status: 200, outcome: 'served', latencyMs: 5 },
    ],
  };
  const shown = renderGeneration('gen-1', {
    ...RUNNING,
    attempt: 3,
    status: 'settled',
    endedAt: 1_000,
    settlement,
    moves: [{ attempt: 1, endpoint: 'ep_0', amount: '0.1' }],
    route: {
      candidates: [{ endpoint: 'q' }, { endpoint: 'r/fp8', model: 'c/d', dropped: 2 }],
      rejections: [{ endpoint: 's', reason: 'max_price', member: 'provider.max_price.prompt' }],
    },
  });
  const told = JSON.parse(renderExact(shown));
  assert.equal(told.route, {
    candidates: [
      { endpoint: 'q', dropped_messages: 0 },
      { endpoint: 'r/fp8', model: 'c/d', dropped_messages: 2 },
    ],
    rejections: [{ endpoint: 's', reason: 'max_price', member: 'provider.max_price.prompt' }],
    omitted: 0,
  });
  assert.equal(told.holds, [
    { attempt: 1, endpoint_id: 'ep_0', amount: 0.1 },
    { attempt: 3, endpoint_id: 'ep_1', amount: 3e-24 },
  ]);
  assert.equal(told.timings, { admitted: 3, first_part: 1, total: 2 });
  assert.equal(told.honoured, { seed: true, logprobs: false });
  assert.is(told.native_tokens_completion_images, 7);
  assert.is(told.native_tokens_cache_write, 4);
  assert.is(told.native_tokens_prompt, null, 'our own count is not native');
  assert.is(told.tokens_prompt, 3);
  assert.equal(told.media, { images: 2, megapixels: 2.5, audio_seconds: null, input_images: 1 });
  assert.equal(told.price_conditions, { at: '1970-01-01T00:00:00.000Z', prompt_tokens: 9 });
  assert.equal([told.num_media_prompt, told.num_media_completion], [1, 2]);
  const trail = told.provider_responses as { outcome: string; reason?: string; latency?: number }[];
  assert.equal(
    trail.map(({ outcome, reason, latency }) => [outcome, reason, latency]),
    [
      ['failed', 'unavailable', 4],
      ['skipped', 'payment_required', undefined],
      ['served', undefined, 5],
    ],
  );
});

it('a released one tells its times too', () => {
  const release = {
    generation: 'gen-1',
    attempt: 1,
    reason: 'gone',
    status: 502,
    attempts: [],
    admittedMs: 2,
    totalMs: 9,
  };
  const told = renderGeneration('gen-1', { ...RUNNING, status: 'released', endedAt: 1_000, release });
  assert.equal(told.timings, { admitted: 2, first_part: null, total: 9 });
});

it('a row written before the story was kept still reads, and a plain one says only what holds', () => {
  const told = JSON.parse(renderExact(renderGeneration('gen-1', RUNNING)));
  assert.is(told.route, null);
  assert.is(told.honoured, null);
  assert.equal(told.timings, { admitted: null, first_part: null, total: null });
  assert.is(told.holds.length, 1);
});

test.run();
