import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../actors/runtime/index.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { chatDialect } from '../../../../gateway/dialects/chat/chat-dialect.ts';
import type { Dialect } from '../../../../gateway/dialects/reply/dialect.ts';
import type { ReplyDialect } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { beginRequest } from '../../../../gateway/edge/request-context.ts';
import type { AnswerParts } from '../../../../gateway/edge/turns/answer-parts.ts';
import { answerTurn } from '../../../../gateway/edge/turns/answer-turn.ts';
import { OpenTurns } from '../../../../gateway/edge/turns/open-turns.ts';
import { LargeAnswers } from '../../../../gateway/http/large-answers.ts';
import { bounded } from '../../../support/bounded.ts';
import { openScene, releaseOf, settlementOf, sim } from '../../inference/scene.ts';
import { generous, type SentEvent, type Stage, stage } from '../../stage.ts';

const it = bounded(test);
const { a, onlyA, close } = await openScene();

test.after(close);

const CALLER = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;

/** Runs one turn over a real connection, rendered by `dialectOf` of the chat dialect; returns the received text. */
async function answered(
  on: Stage,
  body: object,
  dialectOf: (dialect: ReplyDialect) => ReplyDialect,
  turns = new OpenTurns(),
): Promise<string> {
  const parts: AnswerParts = {
    ...{ inference: on.services, turns, limits: config.edge, log: { warn: () => {} }, pepper: new Uint8Array(32) },
    authentication: { remember: () => {} },
    largeAnswers: new LargeAnswers(systemClock, config.edge),
    random: systemRandom,
    now: on.cluster.now,
    crashPoint: undefined,
  };
  const dialect: Dialect = {
    ...chatDialect,
    parse: (value, session) => {
      const { turn, reply } = chatDialect.parse(value, session);
      return { turn, reply: dialectOf(reply) };
    },
  };
  const server = createServer((request, response) => {
    const arrived = { request, response, startedAt: systemClock.monotonic(), invite: null, upgrade: null };
    const context = beginRequest(arrived, 'gen-1', { type: 'none' });
    context.caller = CALLER;
    // As `refuse` does when part of an answer was sent.
    const arrivedBody = { value: { model: 'sim/fast', ...body, stream: true }, bytes: 1_000 };
    answerTurn(parts, dialect, context, arrivedBody).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return await answer.text();
  } finally {
    await on.services.holds.pending.idle();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

it('a stream that fails while it is written ends in an error, its provider is aborted and the delivered part is charged (rule K55)', async () => {
  const on = stage({ endpoints: onlyA });
  const breaking = (dialect: ReplyDialect): ReplyDialect => ({
    ...dialect,
    frames: (head) => {
      const frames = dialect.frames(head);
      let batches = 0;
      return {
        of: (events) => {
          if (++batches === 3) throw new RangeError('cannot be written');
          return frames.of(events);
        },
        end: (closing) => frames.end(closing),
      };
    },
  });
  const body = sim({ tokens: 10_000, tps: 100 });
  const text = await answered(on, body, breaking);
  assert.match(text, /"error":\{"code":500,"message":"Internal Server Error"/);
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  assert.ok((settlementOf(on)?.completionTokens as number) > 0);
  assert.is(releaseOf(on), undefined);
  await until(() => a.calls.at(-1)?.outcome === 'aborted');
  await on.end();
});

it('a stream whose first frame cannot be rendered is broken off, and its turn is released and ended (rule K55)', async () => {
  const on = stage({ endpoints: onlyA });
  const mute = (dialect: ReplyDialect): ReplyDialect => ({
    ...dialect,
    frames: () => {
      throw new RangeError('no frames');
    },
  });
  const outcome = await answered(on, sim({ tokens: 10_000, tps: 100 }), mute).then(
    () => 'ended',
    () => 'broken off',
  );
  assert.is(outcome, 'broken off');
  await on.end();
  assert.ok(releaseOf(on));
  assert.is(settlementOf(on), undefined);
  await until(() => a.calls.at(-1)?.outcome === 'aborted');
});

it('a drain that cuts a stream between the last part and the charge does not ask the client to repeat the request (rule E50)', async () => {
  const turns = new OpenTurns();
  let cut = 0;
  const answers = (asked: SentEvent): Json => {
    if (asked.event.type === 'hold.settle') {
      cut += turns.size;
      turns.cutAll();
    }
    return generous(asked);
  };
  const on = stage({ answers, endpoints: onlyA });
  const text = await answered(on, sim({ tokens: 5 }), (dialect) => dialect, turns);
  assert.is(cut, 1);
  assert.match(text, /"finish_reason":"stop"/);
  assert.not.match(text, /"error"|"usage"/);
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  assert.ok(settlementOf(on));
  await on.end();
});

it('a stream that is cut after an error of the provider receives no second error (rule I57)', async () => {
  const turns = new OpenTurns();
  const answers = (asked: SentEvent): Json => {
    if (asked.event.type === 'hold.settle') turns.cutAll();
    return generous(asked);
  };
  const on = stage({ answers, endpoints: onlyA });
  const text = await answered(on, sim({ tokens: 20, cut_after: 3, tps: 200 }), (dialect) => dialect, turns);
  assert.is(text.split('"error":{').length - 1, 1);
  assert.match(text, /"code":502/);
  assert.is(text.split('[DONE]').length - 1, 1);
  await on.end();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test.run();
