import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExpressibleAttempt } from '../../../gateway/inference/expressible-attempt.ts';
import type { ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

const TEXT: TurnEvent = { type: 'text-delta', text: 'Hi' };
const IMAGE: TurnEvent = { type: 'image', url: 'https://a.b/c', index: 0 };
const SPEECH: TurnEvent = { type: 'audio-delta', data: 'AAAA' };

interface Stage {
  readonly expressible: ExpressibleAttempt;
  readonly aborts: () => number;
}

function answering(batches: readonly (readonly TurnEvent[])[], streamed: boolean): Stage {
  const left = [...batches];
  let aborts = 0;
  const attempt: ProviderAttempt = {
    ...{ status: 200, upstreamId: 'up', usage: { promptTokens: 3 } },
    read: async () => left.shift() ?? null,
    abort: () => {
      aborts++;
    },
  };
  return { expressible: new ExpressibleAttempt(attempt, ['audio'], streamed), aborts: () => aborts };
}

const codeOf = async (read: Promise<unknown>): Promise<unknown> =>
  read.then(
    (events) => `read ${JSON.stringify(events)}`,
    (failure) => [failure.reason, failure.refusal.code, failure.counted],
  );

const FAILED = ['rejected', 'inexpressible_output', false];

it('an answer without such a part passes unchanged', async () => {
  const { expressible, aborts } = answering([[TEXT, IMAGE]], true);
  assert.equal(await expressible.read(), [TEXT, IMAGE]);
  assert.is(await expressible.read(), null);
  assert.equal([expressible.upstreamId, expressible.usage, aborts()], ['up', { promptTokens: 3 }, 0]);
});

it('a stream delivers what precedes the speech, then fails as refused, and its call ends (rule I76)', async () => {
  const { expressible, aborts } = answering([[TEXT, SPEECH, TEXT], [TEXT]], true);
  assert.equal(await expressible.read(), [TEXT]);
  assert.equal(await codeOf(expressible.read()), FAILED);
  assert.equal(await codeOf(expressible.read()), FAILED);
  assert.is(aborts(), 1);
});

it('a stream that begins with speech, and a whole answer with any, deliver nothing', async () => {
  assert.equal(await codeOf(answering([[SPEECH]], true).expressible.read()), FAILED);
  assert.equal(await codeOf(answering([[TEXT, SPEECH]], false).expressible.read()), FAILED);
});

test.run();
