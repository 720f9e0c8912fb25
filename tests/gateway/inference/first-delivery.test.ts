import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstDelivery } from '../../../gateway/inference/first-delivery.ts';
import type { ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const CHARACTERS_MAX = 100_000;

/** An endless answer that repeats one part. */
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
  it(`the parts that wait for a required call are bounded, ${part.type} included (rule I116)`, async () => {
    const attempt = endless(part);
    const failure = await firstDelivery(
      attempt,
      { kind: 'conversation', toolChoice: { name: 'wanted' } },
      CHARACTERS_MAX,
    ).catch((thrown) => thrown);
    assert.is(failure.reason, 'contract');
    assert.ok(attempt.reads <= CHARACTERS_MAX / 64 + 1, `${attempt.reads} parts were held`);
  });
}

it('without a required call the first part is delivered as it arrives, even a finish alone', async () => {
  for (const part of [...PARTS, { type: 'finish', reason: 'stop', native: null } as const]) {
    const attempt = endless(part);
    assert.equal(await firstDelivery(attempt, { kind: 'conversation', toolChoice: 'auto' }, 1), [part]);
    assert.is(attempt.reads, 1);
  }
});

/** An answer of these batches, followed by its end or a failure. */
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

const REASONING: TurnEvent = { type: 'reasoning-delta', text: 'hm' };
const TEXT: TurnEvent = { type: 'text-delta', text: 'x' };
const HIDDEN = { kind: 'conversation', reasoning: { excluded: true } } as const;

it('hidden reasoning is no delivery: an answer that breaks off during it may be tried elsewhere (rule I135)', async () => {
  assert.equal(await firstDelivery(scripted([[REASONING], [REASONING], [TEXT]]), HIDDEN, 1_000), [
    REASONING,
    REASONING,
    TEXT,
  ]);
  const scored = [REASONING, { type: 'logprobs', content: [{ token: 'hm' }] }] as const;
  assert.equal(await firstDelivery(scripted([scored, [TEXT]]), HIDDEN, 1_000), [...scored, TEXT], 'with its scores');
  assert.equal(
    await firstDelivery(scripted([[REASONING], [TEXT]]), { kind: 'conversation' }, 1_000),
    [REASONING],
    'visible reasoning is a delivery',
  );
  const broken = scripted([[REASONING]], new Error('cut'));
  assert.is((await firstDelivery(broken, HIDDEN, 1_000).catch((thrown) => thrown)).message, 'cut');
});

it('endless hidden reasoning counts as delivered beyond the bound', async () => {
  const attempt = endless(REASONING);
  const first = (await firstDelivery(attempt, HIDDEN, CHARACTERS_MAX)) ?? [];
  assert.ok(first.length > 10 && first.length <= CHARACTERS_MAX / 64 + 1);
});

const IMAGE: TurnEvent = { type: 'image', url: 'data:image/png;base64,AAAA', index: 0 };
const REFUSAL: TurnEvent = { type: 'refusal-delta', text: 'no' };
const finish = (reason: 'stop' | 'length' | 'content_filter'): TurnEvent => ({ type: 'finish', reason, native: null });
const PICTURE = { kind: 'picture' } as const;

it('a required picture is the first delivery: the words before it wait', async () => {
  const attempt = scripted([[TEXT], [REASONING], [TEXT, IMAGE, TEXT], [finish('stop')]]);
  assert.equal(await firstDelivery(attempt, PICTURE, 1_000), [TEXT, REASONING, TEXT, IMAGE, TEXT]);
  assert.equal(await attempt.read(), [finish('stop')]);
});

it('an answer without the required picture fails: counted where it is empty, excused where it has words (rule I103)', async () => {
  const rows: readonly (readonly [readonly TurnEvent[], string, boolean])[] = [
    [[finish('stop')], 'contract', true],
    [[REASONING, finish('stop')], 'contract', true],
    [[TEXT, finish('stop')], 'contract', false],
    [[finish('length')], 'contract', false],
    [[REFUSAL, finish('stop')], 'content_policy_violation', false],
    [[TEXT, finish('content_filter')], 'content_policy_violation', false],
  ];
  for (const [answer, category, counted] of rows) {
    const failure = await firstDelivery(scripted([answer]), PICTURE, 1_000).catch((thrown) => thrown);
    assert.equal([failure.category, failure.counted, failure.repeatable], [category, counted, false]);
  }
});

it('the words before a required picture are bounded (rule I116)', async () => {
  for (const part of PARTS.filter(({ type }) => type !== 'image')) {
    const attempt = endless(part);
    const failure = await firstDelivery(attempt, PICTURE, CHARACTERS_MAX).catch((thrown) => thrown);
    assert.is(failure.reason, 'contract');
    assert.ok(attempt.reads <= CHARACTERS_MAX / 64 + 1, `${attempt.reads} parts were held`);
  }
});

test.run();
