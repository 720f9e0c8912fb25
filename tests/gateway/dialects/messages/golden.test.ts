import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { streamEnvelope, wholeEnvelope } from '../../../../gateway/dialects/messages/error-envelope.ts';
import { messagesReplyDialect } from '../../../../gateway/dialects/messages/messages-dialect.ts';
import { messagesError, messagesEvent, messagesReply } from '../../../../gateway/dialects/messages/reply-schema.ts';
import type { Closing } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { brokenStream } from '../../../../gateway/inference/exhausted.ts';
import type { Adapter, ProviderAttempt } from '../../../../gateway/providers/adapter.ts';
import { chatAdapter } from '../../../../gateway/providers/chat/adapter.ts';
import { messagesAdapter } from '../../../../gateway/providers/messages/adapter.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { StreamAttempt } from '../../../../gateway/providers/stream-attempt.ts';
import { WholeAttempt } from '../../../../gateway/providers/whole-attempt.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { MessagesJudge } from '../../../support/stream/messages-judge.ts';
import { played, UNSHARED } from '../../providers/played.ts';
import { CHAT, KINDS, type Kind, NATIVE, type UpstreamReply } from './upstream-replies.ts';

/**
 * Every kind of answer of both provider dialects, streamed and whole, byte for byte. `TROUPE_GOLDEN=write` writes the
 * files anew.
 */
const FOLDER = join(import.meta.dirname ?? '.', '../../../fixtures/messages-replies');
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'Provider "P"' };
const STOPS = ['END', 'three'];
const LINE_MAX = 64 * 1024;

const it = bounded(test);

const ADAPTERS: readonly (readonly [string, Adapter, Readonly<Record<Kind, UpstreamReply>>])[] = [
  ['chat', chatAdapter, CHAT],
  ['messages', messagesAdapter, NATIVE],
];

function closingOf({ usage }: ProviderAttempt): Closing {
  return { usage, cost: '0.000123456789012345678901', honoured: { stop: true, temperature: true } };
}

async function streamed(adapter: Adapter, { stream }: UpstreamReply): Promise<string> {
  const pieces = stream.map((frame) => Buffer.from(frame));
  const attempt = new StreamAttempt(
    played(pieces),
    adapter.reader((index) => `made_${index}`),
    { ...UNSHARED, lineCharactersMax: LINE_MAX },
  );
  const frames = messagesReplyDialect(STOPS).frames(HEAD);
  let out = '';
  try {
    for (let events = await attempt.read(); events !== null; events = await attempt.read()) out += frames.of(events);
    return out + frames.end(closingOf(attempt));
  } catch (thrown) {
    assert.instance(thrown, ProviderFailure);
    const error = brokenStream(thrown as ProviderFailure, HEAD.provider);
    return out + frames.of([{ type: 'error', error }]) + frames.end(null);
  }
}

async function whole(adapter: Adapter, reply: UpstreamReply): Promise<string> {
  const body = [Buffer.from(JSON.stringify(reply.whole))];
  const attempt = new WholeAttempt(
    played(body),
    adapter.reader((index) => `made_${index}`),
    UNSHARED,
  );
  try {
    const events = (await attempt.read()) as readonly TurnEvent[];
    return messagesReplyDialect(STOPS).whole(HEAD, events, closingOf(attempt));
  } catch (thrown) {
    const error = brokenStream(thrown as ProviderFailure, HEAD.provider);
    return [wholeEnvelope, streamEnvelope].map((envelope) => envelope(error, HEAD.id).body).join('\n');
  }
}

function golden(name: string, actual: string): void {
  const path = join(FOLDER, name);
  if (process.env.TROUPE_GOLDEN === 'write') writeFileSync(path, actual);
  assert.is(actual, readFileSync(path, 'utf8'), name);
}

/** The message that a client builds from the events. */
function assembled(text: string): { readonly content: unknown[]; readonly end: Record<string, unknown> } {
  const content: Record<string, unknown>[] = [];
  let end = {};
  for (const event of MessagesJudge.of(text).events) {
    const { content_block: block, delta } = event as { content_block?: object; delta?: Record<string, string> };
    if (event.type === 'content_block_start') content.push({ ...block, json: '' });
    if (event.type === 'message_delta') end = { ...delta, usage: event.usage };
    const last = content.at(-1);
    if (event.type !== 'content_block_delta' || last === undefined) continue;
    const { type: _, partial_json = '', ...pieces } = delta ?? {};
    last.json += partial_json;
    for (const [name, piece] of Object.entries(pieces)) last[name] = `${last[name]}${piece}`;
  }
  return {
    content: content.map(({ json, ...block }) => (json === '' ? block : { ...block, input: inputOf(`${json}`) })),
    end,
  };
}

function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { arguments: json };
  }
}

for (const [dialect, adapter, replies] of ADAPTERS) {
  for (const kind of KINDS) {
    it(`${dialect}, ${kind}: the stream is as recorded, and valid`, async () => {
      const text = await streamed(adapter, replies[kind]);
      const { faults, events, error } = MessagesJudge.of(text);
      assert.equal(faults, []);
      for (const event of events) assert.ok(Check(messagesEvent, event), JSON.stringify(event));
      assert.is(error !== null, kind === 'error');
      assert.not.match(text, /secret/);
      golden(`${dialect}-${kind}.sse`, text);
    });

    it(`${dialect}, ${kind}: the whole reply is as recorded, and what the stream adds up to`, async () => {
      const text = await whole(adapter, replies[kind]);
      golden(`${dialect}-${kind}.whole`, text);
      assert.not.match(text, /secret/);
      if (kind === 'error') {
        const [common = '', own = ''] = text.split('\n');
        assert.ok(Check(messagesError, JSON.parse(own)));
        assert.is(JSON.parse(common).error.type, JSON.parse(own).error.type);
        return;
      }
      const { content, ...message } = JSON.parse(text);
      assert.ok(Check(messagesReply, JSON.parse(text)), text);
      const { content: added, end } = assembled(await streamed(adapter, replies[kind]));
      assert.equal(content, added);
      assert.equal([message.stop_reason, message.stop_sequence], [end.stop_reason, end.stop_sequence]);
      assert.equal(message.usage, end.usage);
    });
  }
}

test.run();
