import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MediaTypeReader } from '../../../gateway/files/media-type.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 5_000);

async function* pieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The type, read in pieces of `size` bytes; the pieces must pass unchanged. */
async function typeOf(bytes: Uint8Array, size = bytes.length || 1): Promise<string> {
  const reader = new MediaTypeReader();
  const passed: Uint8Array[] = [];
  for await (const piece of reader.pass(pieces(bytes, size))) passed.push(piece);
  assert.ok(Buffer.concat(passed).equals(bytes));
  return reader.type();
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('is told by the signature, whatever the size of the pieces (rule B38)', async () => {
  for (const size of [1, 7, 4_096]) {
    assert.is(await typeOf(PNG, size), 'image/png');
    assert.is(await typeOf(Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj'), size), 'application/pdf');
  }
});

it('UTF-8 without NUL is text, in any script and cut anywhere', async () => {
  const text = Buffer.from('Grüße, 世界! Привет 🎉\n{"custom_id":"a"}\n');
  for (let size = 1; size < text.length; size++) assert.is(await typeOf(text, size), 'text/plain');
});

it('text that begins as some other type does is text', async () => {
  for (const begin of ['BMW sells cars', 'ID3 tags', 'fLaC', 'MP+', 'MZ', 'FWS', 'CWS', 'solid state', 'GIF8', 'BZh']) {
    assert.is(await typeOf(Buffer.from(`${begin} and more words. `.repeat(20))), 'text/plain', begin);
  }
  for (const [text, type] of [
    ['%PDF-1.4\n1 0 obj\n', 'application/pdf'],
    ['%!PS-Adobe-3.0\n', 'application/postscript'],
    ['{\\rtf1 hello}', 'application/rtf'],
    ['<?xml version="1.0"?><a/>', 'application/xml'],
    ['BEGIN:VCALENDAR\n', 'text/calendar'],
  ] as const) {
    assert.is(await typeOf(Buffer.from(text)), type);
  }
});

it('text in UTF-16 is no recording', async () => {
  const text = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a;b\n1;2\n'.repeat(200), 'utf16le')]);
  assert.is(await typeOf(text), 'application/octet-stream');
});

it('other bytes are of no known type', async () => {
  assert.is(await typeOf(Buffer.from([0xff, 0x00, 0x12, 0x80])), 'application/octet-stream');
  assert.is(await typeOf(Buffer.from('text with a NUL \0 inside')), 'application/octet-stream');
  assert.is(await typeOf(Buffer.from('cut within a character: é').subarray(0, -1)), 'application/octet-stream');
});

test.run();
