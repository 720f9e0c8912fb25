import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DIALECTS } from '../../../../gateway/dialects/dialect-table.ts';
import type { ReplyDialect } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { wholeReply } from '../../../../gateway/dialects/reply/whole-reply.ts';
import type { JsonPart } from '../../../../gateway/json/write-in-shares.ts';
import { LongText } from '../../../../gateway/terms/long-text.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };
const CLOSING = { usage: { promptTokens: 1, completionTokens: 2 }, cost: '0.01', honoured: {} };
const FINISH: TurnEvent = { type: 'finish', reason: 'stop', native: null };
const HEAD_CHARACTERS = 30;

/** A long text of a few characters, its rest in pieces of seven. */
function long(text: string): LongText {
  const rest = text.slice(HEAD_CHARACTERS).match(/.{1,7}/gs) ?? [];
  return new LongText({
    head: text.slice(0, HEAD_CHARACTERS),
    rest: rest.map((piece) => Buffer.from(JSON.stringify(piece).slice(1, -1))),
    length: text.length,
    isBase64: true,
  });
}

const base64 = (characters: number): string => randomBytes(characters).toString('base64').slice(0, characters);
const picture = (characters: number, index = 0): TurnEvent => {
  const url = `data:image/png;base64,${base64(characters)}`;
  return { type: 'image', url: characters > HEAD_CHARACTERS ? long(url) : url, index };
};
const speech = (characters: number): TurnEvent => {
  const data = base64(characters);
  return { type: 'audio-delta', data: characters > HEAD_CHARACTERS ? long(data) : data };
};

const TURNS: Readonly<Record<string, readonly TurnEvent[]>> = {
  text: [{ type: 'text-delta', text: 'a' }],
  'a short picture': [picture(9)],
  'long pictures between short ones': [picture(9), picture(200, 1), picture(9, 2), picture(303, 3)],
  'a picture that needs escapes': [
    { type: 'image', url: long('data:image/png;base64,"\\\n"\\\n"\\\n"\\\n"\\\n"\\\nü🎉'), index: 0 },
  ],
  speech: [{ type: 'audio-delta', id: 'a', transcript: 't', expiresAt: 5 }, speech(200)],
  'speech cut anywhere': [speech(5), speech(201), speech(2), speech(307), speech(1)],
  'speech and a picture': [speech(204), picture(200)],
};

const ASKED = { model: 'a/b', messages: [{ role: 'user', content: 'x' }] };
const DIALECT_REPLIES: Readonly<Record<string, ReplyDialect>> = {
  chat: DIALECTS.chat.parse(ASKED, null).reply,
  completions: DIALECTS.completions.parse({ model: 'a/b', prompt: 'x' }, null).reply,
  images: DIALECTS.images.parse({ model: 'a/b', prompt: 'x' }, null).reply,
  messages: DIALECTS.messages.parse({ ...ASKED, max_tokens: 5 }, null).reply,
  responses: DIALECTS.responses.parse({ model: 'a/b', input: 'x' }, null).reply,
  embeddings: DIALECTS.embeddings.parse({ model: 'a/b', input: 'x' }, null).reply,
};

const textOf = (parts: readonly JsonPart[]): string => Buffer.concat(parts.map((part) => Buffer.from(part))).toString();

for (const [dialect, reply] of Object.entries(DIALECT_REPLIES)) {
  for (const [name, given] of Object.entries(TURNS)) {
    it(`${dialect}, ${name}: the parts say what the dialect renders`, () => {
      const turn = { events: [...given, FINISH], closing: CLOSING };
      const parts = wholeReply(reply, HEAD, turn, randomBytes);
      assert.equal(JSON.parse(textOf(parts)), JSON.parse(reply.whole(HEAD, turn.events, CLOSING)));
    });
  }
}

it('the bytes of a long picture are handed on', () => {
  const url = long(`data:image/png;base64,${base64(200)}`);
  const turn = { events: [{ type: 'image', url, index: 0 } as const], closing: null };
  const parts = wholeReply(DIALECT_REPLIES.chat as ReplyDialect, HEAD, turn, randomBytes);
  assert.equal(
    parts.filter((part) => typeof part !== 'string'),
    url.rest,
  );
});

test.run();
