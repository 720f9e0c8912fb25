import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation, Settlement } from '../../../actors/terms/hold.ts';
import { renderExact } from '../../../gateway/json/exact-json.ts';
import { renderGeneration } from '../../../gateway/management/generation-record.ts';
import { bounded } from '../../support/bounded.ts';
import { RUNNING, SETTLEMENT } from './generation-rows.ts';

const it = bounded(test);

/** The members that strict clients require (rule I142). */
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

it('shows a running generation with every member that strict clients require (rule I142)', () => {
  const shown = renderGeneration('gen-1', RUNNING);
  for (const member of REQUIRED) assert.ok(member in shown && shown[member] !== undefined, member);
  const text = renderExact(shown);
  assert.match(text, /"status":"running"/);
  assert.match(text, /"hold_cost":0\.000000000000000000000003[,}]/);
  assert.match(text, /"usage":0,/);
  assert.match(text, /"metadata":\{"a":1\}/);
  assert.match(text, /"finish_reason":null/);
});

it('shows the charge of a settled generation and the reason of a released one', () => {
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

it('shows what the prompt consumed beside tokens, and what of it was unread', () => {
  const media = { inputAudioSeconds: '1.5', inputAudioUnread: true, inputCharacters: 7 } as const;
  const settlement: Settlement = { ...SETTLEMENT, media, unpriced: ['audio_second'] };
  const shown = renderGeneration('gen-1', { ...RUNNING, status: 'settled', endedAt: 1_000, settlement });
  const record = JSON.parse(renderExact(shown));
  assert.equal(record.unpriced, ['audio_second']);
  assert.is(record.media.input_audio_seconds, 1.5);
  assert.is(record.media.input_audio_unread, true);
  assert.is(record.media.input_characters, 7);
});

it('shows the full trace: the plan and its rejections, every attempt, every held amount, and the timings (rule I141)', () => {
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
  const record = JSON.parse(renderExact(shown));
  assert.equal(record.route, {
    candidates: [
      { endpoint: 'q', dropped_messages: 0 },
      { endpoint: 'r/fp8', model: 'c/d', dropped_messages: 2 },
    ],
    rejections: [{ endpoint: 's', reason: 'max_price', member: 'provider.max_price.prompt' }],
    omitted: 0,
  });
  assert.equal(record.holds, [
    { attempt: 1, endpoint_id: 'ep_0', amount: 0.1 },
    { attempt: 3, endpoint_id: 'ep_1', amount: 3e-24 },
  ]);
  assert.equal(record.timings, { admitted: 3, first_part: 1, total: 2 });
  assert.equal(record.honoured, { seed: true, logprobs: false });
  assert.is(record.native_tokens_completion_images, 7);
  assert.is(record.native_tokens_cache_write, 4);
  assert.is(record.native_tokens_prompt, null, 'the count of the gateway is not native');
  assert.is(record.tokens_prompt, 3);
  assert.equal(record.media, { images: 2, megapixels: 2.5, audio_seconds: null, input_images: 1 });
  assert.equal(record.price_conditions, { at: '1970-01-01T00:00:00.000Z', prompt_tokens: 9 });
  assert.equal([record.num_media_prompt, record.num_media_completion], [1, 2]);
  const attempts = record.provider_responses as { outcome: string; reason?: string; latency?: number }[];
  assert.equal(
    attempts.map(({ outcome, reason, latency }) => [outcome, reason, latency]),
    [
      ['failed', 'unavailable', 4],
      ['skipped', 'payment_required', undefined],
      ['served', undefined, 5],
    ],
  );
});

it('shows the timings of a released generation', () => {
  const release = {
    generation: 'gen-1',
    attempt: 1,
    reason: 'gone',
    status: 502,
    attempts: [],
    admittedMs: 2,
    totalMs: 9,
  };
  const record = renderGeneration('gen-1', { ...RUNNING, status: 'released', endedAt: 1_000, release });
  assert.equal(record.timings, { admitted: 2, first_part: null, total: 9 });
});

it('reads a row from before traces were stored, and omits the empty members of a plain one', () => {
  const record = JSON.parse(renderExact(renderGeneration('gen-1', RUNNING)));
  assert.is(record.route, null);
  assert.is(record.honoured, null);
  assert.equal(record.timings, { admitted: null, first_part: null, total: null });
  assert.is(record.holds.length, 1);
});

it('shows a video as such from its hold on, and the seconds that were charged', () => {
  const video: Generation = { ...RUNNING, apiType: 'video' };
  assert.equal(
    [renderGeneration('gen-1', RUNNING).api_type, renderGeneration('gen-1', video).api_type],
    ['completions', 'video'],
  );
  const settlement: Settlement = { ...SETTLEMENT, media: { videoSeconds: '1.041666666' } };
  const shown = renderGeneration('gen-1', { ...video, status: 'settled', endedAt: 1_000, settlement });
  assert.is(shown.api_type, 'video');
  assert.match(renderExact(shown), /"media":\{[^}]*"video_seconds":1\.041666666\}/);
});

test.run();
