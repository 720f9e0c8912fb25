import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { HoldRequest, Settlement } from '../../../actors/terms/hold.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { wav } from '../pricing/sounds.ts';
import { type Stage, stage } from '../stage.ts';
import { drain, openScene, sim } from './scene.ts';

const it = bounded(test);
const scene = await openScene();
test.after(() => scene.close());

/** A simulated model at its provider, with this price list. */
function endpoint(model: string, tariff: Partial<Tariff>, more: Partial<Endpoint> = {}): Endpoint {
  const plain = boardEndpoint('a', scene.a.baseUrl);
  return {
    ...plain,
    ...{ model, supportedParameters: [...plain.supportedParameters, 'image_config', 'modalities', 'audio'] },
    target: { ...plain.target, upstreamId: model },
    tariff: { id: 'tar_1', discount: 0, ...tariff },
    ...more,
  };
}

interface Settled {
  readonly on: Stage;
  readonly hold: HoldRequest;
  readonly settlement: Settlement;
}

/** The time of the cluster until the hold is asked for, and from then on. */
interface Instants {
  readonly admitted: number;
  readonly later: number;
}

/** Runs one turn to its end at this endpoint. */
async function settled(body: object, served: Endpoint, at?: Instants): Promise<Settled> {
  const on = stage();
  const { cluster } = on;
  if (at !== undefined) cluster.now = () => (on.asks.length === 0 ? at.admitted : at.later);
  const request = on.request({ model: served.model, max_tokens: 50, ...body }, board(served));
  const turn = await runTurn(on.services, request);
  await drain(turn);
  await endTurn(on.services, turn);
  await on.end();
  const hold = on.asks.find(({ event }) => event.request)?.event.request as HoldRequest;
  const settlement = on.asks.find(({ event }) => event.settlement)?.event.settlement as Settlement;
  assert.ok(compare(settlement.cost, hold.amount) <= 0, `charged ${settlement.cost} of ${hold.amount}`);
  return { on, hold, settlement };
}

const TIERED: Partial<Tariff> = { prompt: '1', completion: '0', overrides: [{ minPromptTokens: 20, prompt: '2' }] };

it('the tier is read from the estimate for the hold, and from the reported count for the charge (rule K75)', async () => {
  for (const [reported, cost] of [
    [20, '20'],
    [21, '42'],
  ] as const) {
    const { hold, settlement } = await settled(
      sim({ usage: { prompt_tokens: reported, prompt_tokens_details: null } }),
      endpoint('sim/fast', TIERED),
    );
    assert.is(settlement.cost, cost);
    assert.is(settlement.conditions?.promptTokens, reported);
    assert.not.ok('unmeasured' in settlement);
    assert.ok(Number(hold.amount) > 80, `held at the more expensive tier: ${hold.amount}`);
  }
});

it('without a reported count the tier is that of our own count, not of the bytes (rule K75)', async () => {
  const question = sim({ usage: false }) as { readonly messages: readonly object[] };
  const body = {
    ...question,
    messages: [{ role: 'user', content: 'The river is long. '.repeat(100) }, ...question.messages],
  };
  const tiered = (minPromptTokens: number): Endpoint =>
    endpoint('sim/fast', { prompt: '1', completion: '0', overrides: [{ minPromptTokens, prompt: '2' }] });
  const { settlement } = await settled(body, tiered(1_000));
  const promptTokens = settlement.promptTokens as number;
  assert.ok(promptTokens > 500 && promptTokens < 560, `${promptTokens} tokens in 1,900 bytes`);
  assert.is(settlement.cost, String(promptTokens));
  assert.equal(settlement.unmeasured, ['prompt', 'completion']);
  assert.is(settlement.estimated, true);
  assert.is((await settled(body, tiered(promptTokens))).settlement.cost, String(promptTokens));
  assert.is((await settled(body, tiered(promptTokens - 1))).settlement.cost, String(2 * promptTokens));
});

it('a turn is charged in the price window of its admission, however long its answer takes (rule K75)', async () => {
  const noon = Date.UTC(2026, 10, 21, 12);
  const windowed = endpoint('sim/fast', {
    ...{ prompt: '1', completion: '1' },
    overrides: [{ utcStart: 1100, utcEnd: 1200, prompt: '3', completion: '3' }],
  });
  const { settlement } = await settled(sim({ tokens: 4 }), windowed, { admitted: noon - 1, later: noon + 60_000 });
  const { promptTokens, completionTokens, conditions } = settlement;
  assert.is(settlement.cost, String(3 * ((promptTokens as number) + (completionTokens as number))));
  assert.is(conditions?.at, noon - 1);
});

it('images are charged by the megapixel, read from their bytes, beside their tokens (rule K78)', async () => {
  const body = { ...sim({ tokens: 2 }), modalities: ['image', 'text'], image_config: { n: 2, size: '500x400' } };
  const envelopes = { image: { sizes: ['500x400'], imagesMax: 4 } };
  const painter = endpoint(
    'sim/painter',
    { imageMegapixel: '0.1' },
    { outputModalities: ['text', 'image'], envelopes },
  );
  for (const stream of [false, true]) {
    const { settlement, hold } = await settled({ ...body, stream }, painter);
    assert.equal(settlement.media, { images: 2, megapixels: '0.4' });
    assert.is(settlement.cost, '0.04');
    assert.is(hold.amount, '0.04');
    assert.equal(settlement.unpriced, ['prompt', 'completion']);
  }
});

it('an image without any published price is recorded unpriced and charged nothing (rule K76)', async () => {
  const body = { ...sim({ tokens: 2 }), modalities: ['image', 'text'] };
  const painter = endpoint('sim/painter', { prompt: '0', completion: '0' }, { outputModalities: ['text', 'image'] });
  const { settlement } = await settled(body, painter);
  assert.is(settlement.cost, '0');
  assert.equal(settlement.unpriced, ['image_megapixel']);
});

it('speech is charged by the second, read from its bytes, in whole replies and in streams (rule K78)', async () => {
  const envelopes = { speech: { voices: ['alto'], formats: ['wav', 'pcm16'] } };
  const speaker = endpoint('sim/speaker', { audioSecond: '0.01' }, { outputModalities: ['text', 'audio'], envelopes });
  for (const format of ['wav', 'pcm16']) {
    const body = { ...sim({ tokens: 2, audio_seconds: 1.5 }), modalities: ['text', 'audio'] };
    const { settlement } = await settled({ ...body, audio: { voice: 'alto', format }, stream: true }, speaker);
    assert.equal(settlement.media, { audioSeconds: '1.5' }, format);
    assert.is(settlement.cost, '0.015');
  }
});

const WAV = wav(1.5).toString('base64');
const hearing = (...content: object[]): object => {
  const { messages, ...rest } = sim({ tokens: 2 }) as { messages: object[] };
  return { ...rest, messages: [...messages, { role: 'user', content }] };
};
const HEARS: Partial<Endpoint> = {
  inputModalities: ['text', 'audio'],
  inputs: { audio: { sources: ['url', 'data'], containers: null } },
};
const inline = { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } };
const raw = { type: 'input_audio', input_audio: { data: Buffer.alloc(24_000).toString('base64'), format: 'pcm16' } };
const fetched = { type: 'audio_url', audio_url: { url: 'https://sounds.test/a.wav' } };

it('audio of the prompt is held and charged by the second, read from its bytes (rule K80)', async () => {
  const hears = endpoint('sim/fast', { audioSecond: '0.01', audioSecondOf: 'prompt' }, HEARS);
  const { settlement, hold } = await settled(hearing(inline, raw), hears);
  assert.equal(settlement.media, { inputAudioSeconds: '2' });
  assert.is(settlement.cost, '0.02');
  assert.is(hold.amount, '0.02');
  assert.equal(settlement.unpriced, ['prompt', 'completion']);
});

it('audio of the prompt that cannot be measured is recorded unread and unpriced', async () => {
  const prices = { prompt: '0', completion: '0', audioSecond: '0.01' };
  const { settlement } = await settled(hearing(inline, fetched), endpoint('sim/fast', prices, HEARS));
  assert.equal(settlement.media, { inputAudioSeconds: '1.5', inputAudioUnread: true });
  assert.is(settlement.cost, '0.015');
  assert.equal(settlement.unpriced, ['audio_second']);
  const unpriced = await settled(hearing(inline), endpoint('sim/fast', { prompt: '0', completion: '0' }, HEARS));
  assert.not.ok('media' in unpriced.settlement, 'nothing is measured where no second is priced');
  assert.equal(unpriced.settlement.unpriced, []);
});

it('characters of the prompt are held and charged where they have a price (rule K80)', async () => {
  const { messages, ...rest } = sim({ tokens: 2 }) as { messages: { content: string }[] };
  const body = { ...rest, messages: [{ role: 'system', content: 'Größe 𝒳' }, ...messages] };
  const characters = 7 + messages.reduce((sum, { content }) => sum + [...content].length, 0);
  const { settlement, hold } = await settled(body, endpoint('sim/fast', { completion: '0', character: '0.001' }));
  assert.equal(settlement.media, { inputCharacters: characters });
  assert.is(Number(settlement.cost), characters / 1_000);
  assert.is(hold.amount, settlement.cost);
});

it('media beyond the admitted bounds are charged as admitted, and a warning is logged (rule K79)', async () => {
  const body = { ...sim({ tokens: 2 }), modalities: ['image', 'text'] };
  const envelopes = { image: { sizes: ['10x10'], imagesMax: 1 } };
  const painter = endpoint('sim/painter', { imageMegapixel: '1' }, { outputModalities: ['text', 'image'], envelopes });
  const { settlement, on } = await settled(body, painter);
  assert.equal(settlement.media, { images: 1, megapixels: '0.0001' });
  assert.ok(on.logs.some((record) => (record as { message: string }).message === 'media beyond the admitted bounds'));
});

it('cache reads and writes and reasoning are charged at their own prices and recorded (rule K77)', async () => {
  const tariff = {
    prompt: '10',
    inputCacheRead: '1',
    inputCacheWrite: '12',
    completion: '10',
    internalReasoning: '30',
  };
  const usage = {
    ...{ prompt_tokens: 10, completion_tokens: 10 },
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  const { settlement } = await settled(sim({ usage }), endpoint('sim/fast', tariff));
  assert.is(settlement.cost, String(4 * 10 + 4 * 1 + 2 * 12 + 5 * 10 + 5 * 30));
  assert.equal([settlement.cachedTokens, settlement.cacheWriteTokens, settlement.reasoningTokens], [4, 2, 5]);
});

it('the settlement of a plain turn omits the members that do not apply', async () => {
  const { settlement } = await settled(sim({ tokens: 3 }), endpoint('sim/fast', { prompt: '1', completion: '1' }));
  for (const member of ['media', 'unmeasured', 'conditions', 'cacheWriteTokens']) assert.not.ok(member in settlement);
});

test.run();
