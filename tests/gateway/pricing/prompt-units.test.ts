import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { PromptMeter, pricesPromptUnits } from '../../../gateway/pricing/prompt-units.ts';
import type { PromptUnits } from '../../../gateway/terms/plan.ts';
import type { MediaPart, TurnMessage } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { boardEndpoint } from '../../support/model/endpoints.ts';
import { ManualClock } from '../outbound/manual-clock.ts';
import { aac, mp3, wav } from './sounds.ts';

const it = bounded(test);

const heard = (mediaType: string | null, bytes: Buffer): MediaPart => ({
  type: 'audio',
  source: { kind: 'data', mediaType, base64: bytes.toString('base64') },
});
const saying = (...parts: MediaPart[]): TurnMessage => ({ role: 'user', text: '', parts });

async function units(
  prices: Partial<Tariff>,
  messages: readonly TurnMessage[],
  meter = new PromptMeter(new ManualClock()),
): Promise<PromptUnits | undefined> {
  const endpoint = { ...boardEndpoint('a', 'http://127.0.0.1:9/v1'), tariff: { id: 't', discount: 0, ...prices } };
  const prompt = { counted: 1, held: 1, reportedMax: 1, reportedMin: 0 };
  const candidate = { endpoint, model: 'm', completionTokensMax: 1, messages, prompt };
  return (await meter.metered(candidate)).promptUnits;
}

const SECOND = { audioSecond: '1' };

it('only tariffs with such prices are metered, conditional ones included', () => {
  assert.not.ok(pricesPromptUnits({ id: 't', discount: 0, prompt: '1', image: '1' }));
  assert.ok(pricesPromptUnits({ id: 't', discount: 0, character: '1' }));
  assert.ok(pricesPromptUnits({ id: 't', discount: 0, overrides: [{ utcStart: 0, utcEnd: 100, audioSecond: '1' }] }));
});

it('seconds of all audio parts are summed exactly, in every format that can be read', async () => {
  const messages = [saying(heard('audio/wav', wav(1.5)), heard('audio/pcm16', Buffer.alloc(12_000))), saying()];
  assert.equal(await units(SECOND, messages), { inputAudioSeconds: '1.75' });
  const compressed = await units(SECOND, [saying(heard('audio/mpeg', mp3(100)), heard('audio/aac', aac(100)))]);
  assert.ok(Math.abs(Number(compressed?.inputAudioSeconds) - (100 * 1_152) / 44_100 - (100 * 1_024) / 24_000) < 0.1);
});

it('audio behind a URL, noise and unsupported kinds are unread', async () => {
  const url: MediaPart = { type: 'audio', source: { kind: 'url', url: 'https://a.test/a.wav' } };
  for (const part of [url, heard('audio/wav', Buffer.from('noise')), heard('audio/mp4', Buffer.alloc(4_096))]) {
    assert.equal(await units(SECOND, [saying(part)]), { inputAudioUnread: true });
  }
  const mixed = await units(SECOND, [saying(url, heard('audio/wav', wav(2)))]);
  assert.equal(mixed, { inputAudioSeconds: '2', inputAudioUnread: true });
});

it('a part is measured once per turn, and at most 64 parts are', async () => {
  const meter = new PromptMeter(new ManualClock());
  const part = heard('audio/pcm16', Buffer.alloc(48_000));
  const message = saying(part);
  assert.equal(await units(SECOND, [message], meter), { inputAudioSeconds: '1' });
  (part.source as { base64: string }).base64 = '';
  assert.equal(await units(SECOND, [message, message], meter), { inputAudioSeconds: '2' }, 'known from the first time');
  const many = Array.from({ length: 65 }, () => heard('audio/pcm16', Buffer.alloc(48_000)));
  assert.equal(await units(SECOND, [saying(...many)]), { inputAudioSeconds: '64', inputAudioUnread: true });
});

it('parts that remain after four seconds of measuring are unread', async () => {
  const clock = new ManualClock();
  const meter = new PromptMeter(clock);
  const sound = (): MediaPart => heard('audio/pcm16', Buffer.alloc(48_000));
  assert.equal(await units(SECOND, [saying(sound())], meter), { inputAudioSeconds: '1' });
  clock.advance(4_001);
  assert.equal(await units(SECOND, [saying(sound())], meter), { inputAudioUnread: true });
});

it('characters are those of all texts as sent, a surrogate pair being one', async () => {
  const messages: readonly TurnMessage[] = [
    { role: 'system', text: 'é𝒳' },
    { role: 'user', text: 'abc', parts: [{ type: 'text', text: 'abc' }, heard('audio/wav', wav(1))] },
    { role: 'assistant', text: null, toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
    { role: 'tool', text: '\ud800', toolCallId: 'c' },
  ];
  assert.equal(await units({ character: '1' }, messages), { inputCharacters: 6 });
  assert.is(await units({ prompt: '1' }, messages), undefined);
});

test.run();
