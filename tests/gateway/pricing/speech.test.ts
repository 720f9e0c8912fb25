import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { SPEECH_BYTES_MAX, SpeechMeter } from '../../../gateway/pricing/speech-meter.ts';
import { speechSeconds } from '../../../gateway/pricing/speech-seconds.ts';
import { bounded } from '../../support/bounded.ts';
import { aac, flac, mp3, opus, wav } from './sounds.ts';

const it = bounded(test);
const clock = systemClock;

it('the length of speech is read from its bytes, in every format that can be requested', async () => {
  assert.is(await speechSeconds(wav(2.5), clock), '2.5');
  assert.is(await speechSeconds(wav(2.5, { streamed: true }), clock), '2.5');
  assert.is(await speechSeconds(wav(1, { rate: 44_100 }), clock), '1');
  assert.is(await speechSeconds(mp3(1_000), clock), '26.122449');
  const ofTwoRates = mp3(1_000, [
    [9, 128],
    [5, 64],
  ]);
  assert.is(await speechSeconds(ofTwoRates, clock), '26.122449');
  assert.is(await speechSeconds(aac(300), clock), '12.8');
  assert.is(await speechSeconds(flac(66_150), clock), '1.5');
  assert.is(await speechSeconds(opus(33), clock), '33');
});

it('bytes that are no speech, or have no length, are unread', async () => {
  const tagged = Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), mp3(10)]);
  const film = Buffer.from('\0\0\0\x14ftypM4A \0\0\0\0', 'latin1');
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(5_000, 7), Buffer.from('RIFF'), flac(0), tagged, film]) {
    assert.is(await speechSeconds(bytes, clock), null);
  }
});

it('any bytes resolve (rule K79)', async () => {
  const heads = [wav(0.01), mp3(3), aac(3), flac(10), opus(1), Buffer.from('ID3\x04\0\0\0\0\0\x05', 'latin1')];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...heads),
      fc.nat(60),
      fc.uint8Array({ maxLength: 300 }),
      async (head, keep, rest) => {
        const seconds = await speechSeconds(Buffer.concat([head.subarray(0, keep), rest]), clock);
        return seconds === null || /^\d+(\.\d{1,6})?$/.test(seconds);
      },
    ),
    { numRuns: 500 },
  );
});

it('a hostile file is aborted after a bounded time, and the event loop runs meanwhile (rule K79)', async () => {
  let turns = 0;
  let over = false;
  const turn = (): void => {
    turns += 1;
    if (!over) clock.after(0, turn);
  };
  turn();
  assert.is(await speechSeconds(Buffer.alloc(4_000_000, 0xff), clock), null);
  over = true;
  assert.ok(turns >= 10, `${turns} turns of the loop`);
});

it('raw samples are 24,000 a second of two bytes, and are counted without being buffered', () => {
  const meter = new SpeechMeter('pcm16');
  const second = Buffer.alloc(48_000, 1).toString('base64');
  for (let seconds = 0; seconds < 700; seconds++) meter.add(second);
  assert.ok(700 * 48_000 > SPEECH_BYTES_MAX);
  assert.is(meter.seconds(clock), '700');
});

it('pieces concatenate wherever they are cut, or are complete each', async () => {
  const text = wav(0.5).toString('base64');
  for (const cut of [1, 2, 3, 5, 1_001]) {
    const meter = new SpeechMeter('wav');
    for (let at = 0; at < text.length; at += cut === 1 ? 4_001 : cut * 97)
      meter.add(text.slice(at, at + (cut === 1 ? 4_001 : cut * 97)));
    assert.is(await meter.seconds(clock), '0.5', `cut at ${cut}`);
  }
  const padded = new SpeechMeter('wav');
  const file = wav(0.5);
  for (let at = 0; at < file.length; at += 1_000) padded.add(file.subarray(at, at + 1_000).toString('base64'));
  assert.is(await padded.seconds(clock), '0.5');
});

it('a file sent instead of raw samples is read as a file', async () => {
  const meter = new SpeechMeter('pcm16');
  meter.add(wav(2).toString('base64'));
  assert.is(await meter.seconds(clock), '2');
});

it('no speech has no length; too much of it is unread and not buffered', () => {
  assert.is(new SpeechMeter('mp3').seconds(clock), undefined);
  const meter = new SpeechMeter('mp3');
  const mebibyte = Buffer.alloc(1_048_576, 0xff).toString('base64');
  for (let at = 0; at < 17; at++) meter.add(mebibyte);
  assert.is(meter.seconds(clock), null);
});

test.run();
