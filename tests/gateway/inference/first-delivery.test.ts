import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstDelivery } from '../../../gateway/inference/first-delivery.ts';
import type { ProviderAttempt } from '../../../gateway/providers/attempt.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 5_000);
const CHARACTERS_MAX = 100_000;

/** An answer without end that is always the same part. */
function endless(event: TurnEvent): ProviderAttempt & { reads: number } {
  const attempt = {
    ...{ status: 200, upstreamId: null, usage: {}, reads: 0, abort: () => {} },
    read: async (): Promise<readonly TurnEvent[]> => {
      attempt.reads++;
      return [event];
    },
  };
  return attempt;
}

const PARTS: readonly TurnEvent[] = [
  { type: 'text-delta', text: 'prose' },
  { type: 'reasoning-delta', text: '' },
  { type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data: 'x'.repeat(500) } },
  { type: 'refusal-delta', text: 'no' },
  { type: 'tool-start', index: 0, id: 'c', name: 'another' },
  { type: 'tool-delta', index: 0, arguments: '{}' },
  { type: 'image', url: 'x'.repeat(5_000), index: 0 },
  { type: 'audio-delta', data: 'x'.repeat(400), transcript: 'x' },
  { type: 'logprobs', content: [{}, {}] },
];

for (const part of PARTS) {
  it(`rule 4: what waits for a demanded call is bounded, ${part.type} too`, async () => {
    const attempt = endless(part);
    const failure = await firstDelivery(attempt, { toolChoice: { name: 'wanted' } }, CHARACTERS_MAX).catch(
      (thrown) => thrown,
    );
    assert.is(failure.reason, 'contract');
    assert.ok(attempt.reads <= CHARACTERS_MAX / 64 + 1, `${attempt.reads} parts were held`);
  });
}

it('without a demand the first part is delivered as it comes, a finish alone among them', async () => {
  for (const part of [...PARTS, { type: 'finish', reason: 'stop', native: null } as const]) {
    const attempt = endless(part);
    assert.equal(await firstDelivery(attempt, { toolChoice: 'auto' }, 1), [part]);
    assert.is(attempt.reads, 1);
  }
});

/** An answer of these batches, then its end or a failure. */
function scripted(batches: readonly (readonly TurnEvent[])[], failure: Error | null = null): ProviderAttempt {
  const left = [...batches];
  return {
    ...{ status: 200, upstreamId: null, usage: {}, abort: () => {} },
    read: async () => {
      const next = left.shift();
      if (next === undefined && failure) throw failure;
      return next ?? null;
    },
  };
}

const THOUGHT: TurnEvent = { type: 'reasoning-delta', text: 'hm' };
const WORD: TurnEvent = { type: 'text-delta', text: 'x' };
const HIDDEN = { reasoning: { excluded: true } } as const;

it('hidden reasoning is nothing delivered: what breaks off while it thinks may be tried elsewhere (rule 10)', async () => {
  assert.equal(await firstDelivery(scripted([[THOUGHT], [THOUGHT], [WORD]]), HIDDEN, 1_000), [THOUGHT, THOUGHT, WORD]);
  const scored = [THOUGHT, { type: 'logprobs', content: [{ token: 'hm' }] }] as const;
  assert.equal(await firstDelivery(scripted([scored, [WORD]]), HIDDEN, 1_000), [...scored, WORD], 'with its scores');
  assert.equal(await firstDelivery(scripted([[THOUGHT], [WORD]]), {}, 1_000), [THOUGHT], 'shown, it is delivered');
  const broken = scripted([[THOUGHT]], new Error('cut'));
  assert.is((await firstDelivery(broken, HIDDEN, 1_000).catch((thrown) => thrown)).message, 'cut');
});

it('hidden reasoning without end counts as delivered where it does not fit', async () => {
  const attempt = endless(THOUGHT);
  const first = (await firstDelivery(attempt, HIDDEN, CHARACTERS_MAX)) ?? [];
  assert.ok(first.length > 10 && first.length <= CHARACTERS_MAX / 64 + 1);
});

test.run();
