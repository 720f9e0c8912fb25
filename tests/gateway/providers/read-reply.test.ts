import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LOOP_TURN_BYTES } from '../../../actors/runtime/index.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { readReply } from '../../../gateway/providers/read-reply.ts';
import { ReplyRoom } from '../../../gateway/providers/reply-room.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from '../overload/loop-model.ts';
import { played, UNSHARED } from './played.ts';

/** Large whole replies share the loop and a budget of bytes. (issue 18, line 2) */
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

it('twenty replies at once are parsed a share at a time: each takes many turns of the loop', async () => {
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

it('room is given in turn to accounts, and none holds more than half of it', async () => {
  const room = new ReplyRoom(100);
  const given: string[] = [];
  const taken = new Map<string, () => void>();
  const take = (account: string, name: string, bytes = 25): void =>
    void room.take(account, bytes).then((release) => {
      given.push(name);
      taken.set(name, release);
    });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (const name of ['a1', 'a2', 'a3', 'a4']) take('a', name);
  await turn();
  assert.equal(given, ['a1', 'a2'], 'half of the room');
  for (const name of ['b1', 'b2', 'b3']) take('b', name);
  await turn();
  assert.equal(given, ['a1', 'a2', 'b1', 'b2']);
  taken.get('b1')?.();
  await turn();
  assert.equal(given.slice(4), ['b3'], 'the first account still holds its half');
  taken.get('a1')?.();
  await turn();
  assert.equal(given.slice(5), ['a3']);
  for (const name of ['a2', 'b2', 'b3', 'a3']) taken.get(name)?.();
  await turn();
  taken.get('a4')?.();
  assert.is(room.bytes, 0);
});

test.run();
