/**
 * The error of our prompt measures against tokenizers: `tokens/bound`, which sizes holds, must not be lower;
 * `tokens/count`, which charges unreported counts, should be close. Two common vocabularies are the reference.
 */
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import type { Turn } from '../../gateway/terms/turn.ts';
import { promptBound } from '../../gateway/tokens/prompt-bound.ts';
import { promptCount } from '../../gateway/tokens/prompt-count.ts';
import { promptSize } from '../../gateway/tokens/prompt-size.ts';
import { type Sample, samples } from '../fixtures/tokens/samples.ts';
import type { Figure } from './figure.ts';

const VOCABULARIES = { cl100k_base: cl100k, o200k_base: o200k };
/** The chat template of these vocabularies: around each message, and before the answer. */
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
/** Marks of a template in a text are text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export interface Measured {
  readonly kind: string;
  readonly vocabulary: string;
  readonly tokens: number;
  readonly bound: number;
  readonly counted: number;
}

/** Every sample with every vocabulary. */
export function measureTokens(): readonly Measured[] {
  return samples().flatMap((sample) => {
    const size = promptSize(turnOf(sample));
    return Object.entries(VOCABULARIES).map(([vocabulary, count]) => ({
      kind: sample.kind,
      vocabulary,
      tokens: truth(sample, (text) => count(text, AS_TEXT)),
      bound: promptBound(size),
      counted: promptCount(size),
    }));
  });
}

export async function benchTokens(): Promise<readonly Figure[]> {
  const measured = measureTokens();
  const under = measured.filter(({ tokens, bound }) => bound < tokens).length;
  const ratios = measured.map(({ tokens, bound }) => bound / tokens);
  const errors = measured.map(({ tokens, counted }) => (Math.abs(counted - tokens) / tokens) * 100);
  const note = `${measured.length} prompts by vocabulary; count off by ${quantile(errors, 0.5).toFixed(1)} % (median), ${quantile(errors, 0.95).toFixed(1)} % (p95); bound ${quantile(ratios, 0.5).toFixed(1)} x the truth (median)`;
  return [
    {
      name: 'token bound under the truth',
      unit: '%',
      ours: (under / measured.length) * 100,
      baseline: null,
      goal: { atMost: 0.1, of: 'value' },
      note,
    },
  ];
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function turnOf({ messages, tools }: Sample): Turn {
  return { models: ['a/b'], messages, tools, stream: false, sampling: {}, preferences: { allowFallbacks: true } };
}

function truth({ messages, tools }: Sample, count: (text: string) => number): number {
  const said = messages.reduce((sum, { text }) => sum + MESSAGE_TOKENS + count(text ?? ''), REQUEST_TOKENS);
  const declared = tools.map((tool) => JSON.stringify({ type: 'function', function: tool }));
  return said + (tools.length === 0 ? 0 : count(declared.join('\n')));
}
