import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type JsonPart, writeInShares } from '../../../gateway/json/write-in-shares.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const PIECE = 100_000;

function loop(): { readonly pieceBytesMax: number; readonly shares: number[]; run: typeof run } {
  const shares: number[] = [];
  async function run<T>(characters: number, work: () => T): Promise<T> {
    shares.push(characters);
    return work();
  }
  return { pieceBytesMax: PIECE, shares, run };
}

it('texts are encoded in shares wherever they are cut, bytes are handed on (rule E39)', async () => {
  const bytes = Buffer.alloc(PIECE * 3, 'ü');
  const texts = ['é'.repeat(PIECE), `${'a'.repeat(PIECE - 1)}🎉`, '🎉'.repeat(PIECE), '', 'a'];
  const { run, shares, pieceBytesMax } = loop();
  const blocks = await writeInShares([...texts, bytes, 'b'], { run, pieceBytesMax });
  assert.ok(Buffer.concat(blocks).toString() === `${texts.join('')}${bytes}b`);
  assert.ok(blocks.includes(bytes));
  assert.ok(shares.every((characters) => characters <= PIECE));
  assert.is(
    shares.reduce((sum, characters) => sum + characters, 0),
    `${texts.join('')}b`.length,
  );
});

it('a short text takes no share', async () => {
  const { run, shares, pieceBytesMax } = loop();
  const parts: JsonPart[] = ['["', Buffer.from('a'), '"]'];
  assert.is(Buffer.concat(await writeInShares(parts, { run, pieceBytesMax })).toString(), '["a"]');
  assert.equal(shares, []);
});

it('writing ends once nobody needs it', async () => {
  const { run, shares, pieceBytesMax } = loop();
  await writeInShares(['a'.repeat(PIECE * 10)], { run, pieceBytesMax }, () => shares.length < 3);
  assert.is(shares.length, 3);
});

test.run();
