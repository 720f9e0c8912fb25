import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation } from '../../../actors/terms/hold.ts';
import { exactNumber, renderExact } from '../../../gateway/edge/exact-json.ts';
import { renderGeneration } from '../../../gateway/edge/generation-record.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 2_000);

it('writes every digit of an amount, however many there are', () => {
  const amount = '123456789012.000000000000000000000001';
  assert.is(renderExact({ a: exactNumber(amount), b: exactNumber(null) }), `{"a":${amount},"b":null}`);
  assert.is(renderExact([exactNumber('-0.5'), exactNumber('0')]), '[-0.5,0]');
});

it('writes everything else as JSON does', () => {
  const value = { text: 'a"\u2028', list: [1, null, true, { deep: 'x' }], left: undefined, empty: {} };
  assert.equal(JSON.parse(renderExact(value)), JSON.parse(JSON.stringify(value)));
});

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

it('shows what a settled one was charged, and why a released one was not', () => {
  const settlement = {
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
  const settled = renderGeneration('gen-1', { ...RUNNING, status: 'settled', endedAt: 1_000, settlement });
  assert.match(renderExact(settled), /"usage":0\.000000000000000000000002,"total_cost":0\.000000000000000000000002,/);
  assert.is(settled.settled_at, '1970-01-01T00:00:01.000Z');
  assert.is(settled.native_tokens_completion, null);
  assert.equal(settled.unpriced, ['image']);
  const release = { generation: 'gen-1', attempt: 1, reason: 'gone', status: 502, attempts: [] };
  const released = renderGeneration('gen-1', { ...RUNNING, status: 'released', endedAt: 1_000, release });
  assert.equal(released.failure, { reason: 'gone', status: 502 });
  assert.is(released.settled_at, null);
});

test.run();
