import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { streamEnvelope, wholeEnvelope } from '../../../gateway/dialects/messages/error-envelope.ts';
import { messagesReplyDialect } from '../../../gateway/dialects/messages/messages-dialect.ts';
import { messagesError, messagesEvent, messagesReply } from '../../../gateway/dialects/messages/reply-schema.ts';
import type { Closing, ReplyDialect } from '../../../gateway/dialects/reply/reply-dialect.ts';
import { streamEnvelope as responsesEnvelope } from '../../../gateway/dialects/responses/failure.ts';
import { responsesEvent, responsesReply } from '../../../gateway/dialects/responses/reply-schema.ts';
import { responsesReplyDialect } from '../../../gateway/dialects/responses/responses-dialect.ts';
import { brokenStream } from '../../../gateway/inference/exhausted.ts';
import type { Adapter, ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import { StreamAttempt } from '../../../gateway/providers/call/stream-attempt.ts';
import { chatAdapter } from '../../../gateway/providers/chat/adapter.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { WholeAttempt } from '../../../gateway/providers/whole-attempt.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';
import { MessagesJudge } from '../../support/stream/messages-judge.ts';
import { ResponsesJudge } from '../../support/stream/responses-judge.ts';
import { played, UNSHARED } from '../providers/played.ts';
import { CHAT, NATIVE, type UpstreamReply } from './messages/upstream-replies.ts';

/**
 * Every kind of answer of both provider dialects, streamed and whole, byte for byte, in the two dialects whose replies
 * are rendered. `TROUPE_GOLDEN=write` writes the files anew.
 */
const FIXTURES = join(import.meta.dirname ?? '.', '../../fixtures');
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'Provider "P"' };
const LINE_MAX = 64 * 1024;

const it = bounded(test);

const ADAPTERS: readonly (readonly [string, Adapter, Readonly<Record<string, UpstreamReply>>])[] = [
  ['chat', chatAdapter, CHAT],
  ['messages', messagesAdapter, NATIVE],
];

interface Row {
  readonly reply: ReplyDialect;
  readonly honoured: Closing['honoured'];
  /** The recorded whole replies are files of this type. */
  readonly suffix: string;
  /** What a failed whole reply answers, one line per envelope. */
  refused(error: GatewayError): string;
  validStream(text: string, failed: boolean): void;
  validWhole(text: string, kind: string, stream: string): void;
}

const ROWS: Readonly<Record<string, Row>> = {
  messages: {
    reply: messagesReplyDialect(['END', 'three']),
    honoured: { stop: true, temperature: true },
    suffix: 'whole',
    refused: (error) => [wholeEnvelope, streamEnvelope].map((envelope) => envelope(error, HEAD.id).body).join('\n'),
    validStream(text, failed) {
      const { faults, events, error } = MessagesJudge.of(text);
      assert.equal(faults, []);
      for (const event of events) assert.ok(Check(messagesEvent, event), JSON.stringify(event));
      assert.is(error !== null, failed);
    },
    validWhole: validMessage,
  },
  responses: {
    reply: responsesReplyDialect({ model: 'a/b', instructions: 'Be brief.' }),
    honoured: { temperature: true },
    suffix: 'txt',
    refused: (error) => responsesEnvelope(error, HEAD.id).body,
    validStream(text, failed) {
      const { faults, events, final } = ResponsesJudge.of(text);
      assert.equal(faults, []);
      for (const event of events) assert.ok(Check(responsesEvent, event), JSON.stringify(event));
      assert.is(final?.status === 'failed', failed);
    },
    validWhole(text, kind) {
      if (kind !== 'error') assert.ok(Check(responsesReply, JSON.parse(text)), text);
    },
  },
};

function closingOf({ usage }: ProviderAttempt, { honoured }: Row): Closing {
  return { usage, cost: '0.000123456789012345678901', honoured };
}

async function streamed(row: Row, adapter: Adapter, { stream }: UpstreamReply): Promise<string> {
  const pieces = stream.map((frame) => Buffer.from(frame));
  const reader = adapter.reader((index) => `made_${index}`);
  const attempt = new StreamAttempt(played(pieces), reader, { ...UNSHARED, lineCharactersMax: LINE_MAX });
  const frames = row.reply.frames(HEAD);
  let out = row.reply.processing;
  try {
    for (let events = await attempt.read(); events !== null; events = await attempt.read()) out += frames.of(events);
    return out + frames.end(closingOf(attempt, row));
  } catch (thrown) {
    assert.instance(thrown, ProviderFailure);
    const error = brokenStream(thrown as ProviderFailure, HEAD.provider);
    return out + frames.of([{ type: 'error', error }]) + frames.end(null);
  }
}

async function whole(row: Row, adapter: Adapter, reply: UpstreamReply): Promise<string> {
  const body = [Buffer.from(JSON.stringify(reply.whole))];
  const reader = adapter.reader((index) => `made_${index}`);
  const attempt = new WholeAttempt(played(body), reader, UNSHARED);
  try {
    const events = (await attempt.read()) as readonly TurnEvent[];
    return row.reply.whole(HEAD, events, closingOf(attempt, row));
  } catch (thrown) {
    return row.refused(brokenStream(thrown as ProviderFailure, HEAD.provider));
  }
}

function golden(path: string, actual: string): void {
  if (process.env.TROUPE_GOLDEN === 'write') writeFileSync(path, actual);
  assert.is(actual, readFileSync(path, 'utf8'), path);
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

/** The schema, and that the stream adds up to the same message. */
function validMessage(text: string, kind: string, stream: string): void {
  if (kind === 'error') {
    const [common = '', own = ''] = text.split('\n');
    assert.ok(Check(messagesError, JSON.parse(own)));
    assert.is(JSON.parse(common).error.type, JSON.parse(own).error.type);
    return;
  }
  const { content, ...message } = JSON.parse(text);
  assert.ok(Check(messagesReply, JSON.parse(text)), text);
  const { content: added, end } = assembled(stream);
  assert.equal(content, added);
  assert.equal([message.stop_reason, message.stop_sequence], [end.stop_reason, end.stop_sequence]);
  assert.equal(message.usage, end.usage);
}

for (const [dialect, row] of Object.entries(ROWS)) {
  for (const [provider, adapter, replies] of ADAPTERS) {
    for (const [kind, reply] of Object.entries(replies)) {
      const path = join(FIXTURES, `${dialect}-replies`, `${provider}-${kind}`);
      it(`${dialect} of ${provider}, ${kind}: the stream is as recorded, and valid`, async () => {
        const text = await streamed(row, adapter, reply);
        row.validStream(text, kind === 'error');
        assert.not.match(text, /secret/);
        golden(`${path}.sse`, text);
      });

      it(`${dialect} of ${provider}, ${kind}: the whole reply is as recorded, and valid`, async () => {
        const text = await whole(row, adapter, reply);
        golden(`${path}.${row.suffix}`, text);
        assert.not.match(text, /secret/);
        row.validWhole(text, kind, await streamed(row, adapter, reply));
      });
    }
  }
}

test.run();
