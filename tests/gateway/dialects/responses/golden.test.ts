import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Closing } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { streamEnvelope } from '../../../../gateway/dialects/responses/failure.ts';
import { responsesEvent, responsesReply } from '../../../../gateway/dialects/responses/reply-schema.ts';
import { responsesReplyDialect } from '../../../../gateway/dialects/responses/responses-dialect.ts';
import { brokenStream } from '../../../../gateway/inference/exhausted.ts';
import type { Adapter, ProviderAttempt } from '../../../../gateway/providers/adapter.ts';
import { chatAdapter } from '../../../../gateway/providers/chat/adapter.ts';
import { messagesAdapter } from '../../../../gateway/providers/messages/adapter.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { StreamAttempt } from '../../../../gateway/providers/stream-attempt.ts';
import { WholeAttempt } from '../../../../gateway/providers/whole-attempt.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { ResponsesJudge } from '../../../support/stream/responses-judge.ts';
import { played, UNSHARED } from '../../providers/played.ts';
import { CHAT, KINDS, type Kind, NATIVE, type UpstreamReply } from '../messages/upstream-replies.ts';

/**
 * Every kind of answer of both provider dialects, streamed and whole, byte for byte. `TROUPE_GOLDEN=write` writes the
 * files anew.
 */
const FOLDER = join(import.meta.dirname ?? '.', '../../../fixtures/responses-replies');
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'Provider "P"' };
const LINE_MAX = 64 * 1024;
const REPLY = responsesReplyDialect({ model: 'a/b', instructions: 'Be brief.' });

const it = bounded(test);

const ADAPTERS: readonly (readonly [string, Adapter, Readonly<Record<Kind, UpstreamReply>>])[] = [
  ['chat', chatAdapter, CHAT],
  ['messages', messagesAdapter, NATIVE],
];

function closingOf({ usage }: ProviderAttempt): Closing {
  return { usage, cost: '0.000123456789012345678901', honoured: { temperature: true } };
}

async function streamed(adapter: Adapter, { stream }: UpstreamReply): Promise<string> {
  const pieces = stream.map((frame) => Buffer.from(frame));
  const reader = adapter.reader((index) => `made_${index}`);
  const attempt = new StreamAttempt(played(pieces), reader, { ...UNSHARED, lineCharactersMax: LINE_MAX });
  const frames = REPLY.frames(HEAD);
  let out = REPLY.processing;
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
    return REPLY.whole(HEAD, events, closingOf(attempt));
  } catch (thrown) {
    return streamEnvelope(brokenStream(thrown as ProviderFailure, HEAD.provider), HEAD.id).body;
  }
}

function golden(name: string, actual: string): void {
  const path = join(FOLDER, name);
  if (process.env.TROUPE_GOLDEN === 'write') writeFileSync(path, actual);
  assert.is(actual, readFileSync(path, 'utf8'), name);
}

for (const [dialect, adapter, replies] of ADAPTERS) {
  for (const kind of KINDS) {
    it(`${dialect}, ${kind}: the stream is as recorded, and valid`, async () => {
      const text = await streamed(adapter, replies[kind]);
      const { faults, events, final } = ResponsesJudge.of(text);
      assert.equal(faults, []);
      for (const event of events) assert.ok(Check(responsesEvent, event), JSON.stringify(event));
      assert.is(final?.status === 'failed', kind === 'error');
      assert.not.match(text, /secret/);
      golden(`${dialect}-${kind}.sse`, text);
    });

    it(`${dialect}, ${kind}: the whole reply is as recorded`, async () => {
      const text = await whole(adapter, replies[kind]);
      assert.not.match(text, /secret/);
      if (kind !== 'error') assert.ok(Check(responsesReply, JSON.parse(text)), text);
      golden(`${dialect}-${kind}.txt`, text);
    });
  }
}

test.run();
