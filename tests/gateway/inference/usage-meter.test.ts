import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageMeter } from '../../../gateway/inference/usage-meter.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

function counted(...events: readonly TurnEvent[]): number | undefined {
  const meter = new UsageMeter(null);
  meter.add(events);
  return meter.billed({}, 0, 1_000_000).completionTokens;
}

const words = 'four words of text '.repeat(20);
const text = counted({ type: 'text-delta', text: words }) as number;

it('every delivered part counts: text, refusals, tool calls, transcripts, reasoning', () => {
  assert.is(counted({ type: 'refusal-delta', text: words }), text);
  assert.is(counted({ type: 'tool-delta', index: 0, arguments: words }), text);
  assert.is(counted({ type: 'audio-delta', transcript: words }), text);
  assert.is(counted({ type: 'reasoning-delta', text: words }), text);
  assert.is(counted({ type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: words } }), text);
});

it('reasoning that arrives plain and in details is counted once', () => {
  const detail = { type: 'reasoning.text', text: words } as const;
  assert.is(counted({ type: 'reasoning-delta', text: words }, { type: 'reasoning-detail', detail }), text);
});

it('a reported count is never replaced, a missing one never exceeds the ceiling', () => {
  const meter = new UsageMeter(null);
  meter.add([{ type: 'text-delta', text: words }]);
  assert.equal(meter.billed({ completionTokens: 3 }, 7, 5), { promptTokens: 7, completionTokens: 3 });
  assert.equal(meter.billed({ promptTokens: 2 }, 7, 5), { promptTokens: 2, completionTokens: 5 });
  const whole = { promptTokens: 1, completionTokens: 1 };
  assert.is(meter.billed(whole, 7, 5), whole);
});

test.run();
