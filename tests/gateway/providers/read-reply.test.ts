import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LOOP_TURN_BYTES } from '../../../gateway/overload/loop-work.ts';
import { imagePixels } from '../../../gateway/pricing/image-pixels.ts';
import { ChatReader } from '../../../gateway/providers/chat/reply-reader.ts';
import { MessagesReader } from '../../../gateway/providers/messages/reply-reader.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { readReply } from '../../../gateway/providers/read-reply.ts';
import { LongText } from '../../../gateway/terms/long-text.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from '../overload/loop-model.ts';
import { png } from '../pricing/images.ts';
import { played, UNSHARED } from './played.ts';

/** Large whole replies share the loop and a budget of bytes. */
const it = bounded(test);
const MIB = 1024 * 1024;
const PIECE = 64 * 1024;

function chunksOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, i) => bytes.subarray(i * PIECE, (i + 1) * PIECE));
}

const picture = (bytes: number): string =>
  JSON.stringify({ id: 'a', data: `data:image/png;base64,${'A'.repeat(bytes)}` });

it('a large reply equals the same text parsed natively, and small ones need no room', async () => {
  const odd = `{"a":1,"a":2,"half":"\\ud83d","far":1e999,"pad":"${'x'.repeat(LOOP_TURN_BYTES)}","deep":[[{"b":[]}]]}`;
  for (const text of ['{"a":1}', picture(3 * MIB), odd, ` ${odd} `]) {
    let asked = 0;
    let given = 0;
    const room = async (): Promise<() => void> => {
      asked++;
      return () => void given++;
    };
    assert.equal(await readReply(played(chunksOf(text)), { ...UNSHARED, room }), JSON.parse(text));
    assert.is(asked, text.length > LOOP_TURN_BYTES ? 1 : 0);
    assert.is(given, asked, 'the room is given back');
  }
});

it('a reply that announces more than the largest reply waits for the room of the largest one', async () => {
  const asked: number[] = [];
  const room = async (bytes: number): Promise<() => void> => {
    asked.push(bytes);
    return () => {};
  };
  const reply = played(chunksOf(picture(MIB)));
  const announcing = { ...reply, header: () => '1000000000000' };
  await readReply(announcing, { ...UNSHARED, room, bodyBytesMax: 16 * MIB });
  assert.equal(asked, [16 * MIB]);
});

/** The events of an answer of the chat dialect with this picture and this speech. */
async function mediaOf(url: string, data: string): Promise<readonly TurnEvent[]> {
  const message = { content: 'x', images: [{ image_url: { url } }, { image_url: url }], audio: { id: 'a', data } };
  const text = JSON.stringify({ id: 'a', choices: [{ message, finish_reason: 'stop' }] });
  const events: TurnEvent[] = [];
  new ChatReader(() => 'call').readWhole(await readReply(played(chunksOf(text)), UNSHARED), events);
  return events;
}

it('long pictures and speech of a large reply keep their bytes, and are measured and checked', async () => {
  const shown = png(640, 480).toString('base64');
  const url = `data:image/png;base64,${shown}${'A'.repeat(3 * MIB)}`;
  const data = 'QUJD'.repeat(300_000);
  const events = await mediaOf(url, data);
  const media = events.flatMap((event) =>
    event.type === 'image' ? [event.url] : event.type === 'audio-delta' ? [event.data] : [],
  );
  assert.is(media.length, 3);
  assert.ok(media.every((each) => each instanceof LongText));
  assert.equal(media.map(String), [url, url, data]);
  assert.is(imagePixels(media[0] as LongText), 307_200);
  for (const [picture, speech] of [
    [`data:image/svg+xml;base64,${'A'.repeat(MIB)}`, data],
    [`https://a.example/${'a'.repeat(MIB)}`, data],
    [url, `${data}-`],
  ] as const) {
    const failed = await mediaOf(picture, speech).catch((error: unknown) => error);
    assert.instance(failed, ProviderFailure);
  }
});

it('a long picture of the messages dialect keeps its bytes', async () => {
  const data = 'QUJD'.repeat(300_000);
  const source = { type: 'base64', media_type: 'image/png', data };
  const text = JSON.stringify({ type: 'message', content: [{ type: 'image', source }], stop_reason: 'end_turn' });
  const events: TurnEvent[] = [];
  new MessagesReader(() => 'call').readWhole(await readReply(played(chunksOf(text)), UNSHARED), events);
  const image = events.find((event) => event.type === 'image');
  assert.instance(image?.url, LongText);
  assert.is(String(image?.url), `data:image/png;base64,${data}`);
});

it('a large reply that is no JSON object, or too complex, is garbage, and gives its room back', async () => {
  const pad = 'x'.repeat(LOOP_TURN_BYTES);
  for (const text of [
    `{"a":"${pad}`,
    `["${pad}"]x`,
    `"${pad}"`,
    `{"a":"${pad}","b":${'['.repeat(200)}${']'.repeat(200)}}`,
  ]) {
    let open = 0;
    const room = async (): Promise<() => void> => {
      open++;
      return () => void open--;
    };
    const failed = await readReply(played(chunksOf(text)), { ...UNSHARED, room }).catch((error: unknown) => error);
    assert.instance(failed, ProviderFailure);
    assert.is((failed as ProviderFailure).reason, 'garbage');
    assert.is(open, 0);
  }
});

it('twenty replies at once are parsed a share at a time: each takes many turns of the loop (rule E39)', async () => {
  const loop = new LoopModel();
  const bytes = 2 * MIB;
  const text = chunksOf(picture(bytes));
  let read = 0;
  for (let i = 0; i < 20; i++)
    void readReply(played(text), { ...UNSHARED, clock: loop }).then(() => {
      read++;
    });
  // Pending turns are tasks of the model: one of them parses at most one share.
  let turns = 0;
  while (read < 20) {
    await loop.step();
    turns++;
  }
  assert.ok(turns >= (20 * bytes) / LOOP_TURN_BYTES, `${turns} turns`);
});

test.run();
