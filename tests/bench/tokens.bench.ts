/**
 * Our measures of prompts against tokenizers: the hold must not be below what is charged, and not far above it; the count
 * must tell which prompts fit a window. Two common vocabularies are the reference, each declared by its endpoint.
 */
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { plan } from '../../gateway/routing/plan.ts';
import { tokensOf } from '../../gateway/routing/prompt.ts';
import type { Turn } from '../../gateway/terms/turn.ts';
import { longSources, longText } from '../fixtures/tokens/long-prompts.ts';
import { type Sample, samples } from '../fixtures/tokens/samples.ts';
import { Dice } from '../gateway/pricing/random-charge.ts';
import { board, boardEndpoint } from '../support/model/endpoints.ts';
import { promptSize } from '../support/prompt-sizes.ts';
import type { Figure } from './figure.ts';

const VOCABULARIES = { cl100k_base: cl100k, o200k_base: o200k };
type Reference = keyof typeof VOCABULARIES;
const REFERENCES = Object.keys(VOCABULARIES) as Reference[];
/** The chat template of these vocabularies: around each message, and before the answer. */
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
/** Marks of a template in a text are text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export interface Measured {
  readonly kind: string;
  readonly vocabulary: string;
  /** The vocabulary is the one that the endpoint declares; otherwise it declares none. */
  readonly declared: boolean;
  readonly tokens: number;
  readonly held: number;
  readonly counted: number;
}

/** Every sample with every vocabulary, declared and not. */
export function measureTokens(): readonly Measured[] {
  return samples().flatMap((sample) => {
    const turn = turnOf(sample);
    const undeclared = tokensOf(promptSize(turn));
    return REFERENCES.flatMap((vocabulary) => {
      const known = { kind: sample.kind, vocabulary, tokens: truth(sample, vocabulary) };
      return [
        { ...known, declared: true, ...tokensOf(promptSize(turn, vocabulary)) },
        { ...known, declared: false, ...undeclared },
      ];
    });
  });
}

/** A long prompt and what an endpoint of this window, which declares the vocabulary, did with it. */
export interface Fitted {
  readonly kind: string;
  readonly vocabulary: string;
  readonly window: number;
  /** The provider's count of the prompt. */
  readonly tokens: number;
  /** The ceiling sent; null where the prompt was refused as too long. */
  readonly ceiling: number | null;
  /** The turn asked for this ceiling; null for none. */
  readonly asked: number | null;
}

const FIT_SEED = 3;
/** Lengths of prompts as shares of the window: most are near its end. */
const SHARES = [0.5, 0.9, 0.95, 0.965, 0.985, 1, 1.005, 1.02, 1.05, 1.3];
const ASKED = [null, 100, 1_000_000];

/** Prompts of every long kind around the end of these windows. */
export function measureFit(windows: readonly number[]): readonly Fitted[] {
  const dice = new Dice(FIT_SEED);
  return longSources().flatMap((source) =>
    REFERENCES.flatMap((vocabulary) => {
      const count = VOCABULARIES[vocabulary];
      const sample = longText(source, 8_000, dice);
      const perToken = sample.length / count(sample, AS_TEXT);
      return windows.flatMap((window) =>
        SHARES.map((share) => {
          const text = longText(source, Math.round(share * window * perToken), dice);
          const asked = dice.one(ASKED);
          const tokens = count(text, AS_TEXT) + MESSAGE_TOKENS + REQUEST_TOKENS;
          return {
            kind: source.kind,
            vocabulary,
            window,
            tokens,
            asked,
            ceiling: ceilingOf(text, vocabulary, window, asked),
          };
        }),
      );
    }),
  );
}

function ceilingOf(text: string, tokenizer: Reference, contextLength: number, asked: number | null): number | null {
  const declared = boardEndpoint('a', 'http://127.0.0.1:1', { contextLength, maxCompletionTokens: 1_000_000 });
  const turn = turnOf({ kind: '', messages: [{ role: 'user', text }], tools: [] });
  const model = { ...turn, models: ['sim/fast'], ...(asked === null ? {} : { completionTokensMax: asked }) };
  try {
    return plan(model, board({ ...declared, tokenizer }), 0.5).candidates[0]?.completionTokensMax ?? null;
  } catch (error) {
    if ((error as { type?: string }).type === 'context_length_exceeded') return null;
    throw error;
  }
}

/** Prompts within this share of the window must be served. */
export const SERVED_SHARE = 0.97;

export function refusedInVain(fitted: readonly Fitted[]): readonly Fitted[] {
  return fitted.filter(({ tokens, window, ceiling }) => tokens < SERVED_SHARE * window && ceiling === null);
}

/** Prompts that the provider refuses, alone or together with their ceiling, although they were sent. */
export function sentInVain(fitted: readonly Fitted[]): readonly Fitted[] {
  return fitted.filter(({ tokens, window, ceiling }) => ceiling !== null && tokens + ceiling > window);
}

const BENCH_WINDOWS = [2_048, 8_192, 32_768];
const PERCENT = 100;

export async function benchTokens(): Promise<readonly Figure[]> {
  const measured = measureTokens();
  const under = measured.filter(({ tokens, held, declared }) => declared && held < tokens).length;
  const declared = measured.filter((each) => each.declared);
  const undeclared = measured.filter((each) => !each.declared);
  const fitted = measureFit(BENCH_WINDOWS);
  const within = fitted.filter(({ tokens, window }) => tokens < SERVED_SHARE * window);
  const held = (of: readonly Measured[]): number =>
    quantile(
      of.map(({ tokens, held }) => held / tokens),
      0.5,
    );
  const note = `${declared.length} prompts by vocabulary`;
  const fitNote = `${fitted.length} prompts of ${new Set(fitted.map(({ kind }) => kind)).size} kinds, windows of ${BENCH_WINDOWS.join(', ')}`;
  const figure = (name: string, unit: string, ours: number, most: number, more: string): Figure => {
    return { name, unit, ours, baseline: null, goal: { atMost: most, of: 'value' }, note: more };
  };
  return [
    figure('hold under the charge, prompts', '%', (under / declared.length) * PERCENT, 0.1, note),
    figure('prompt part of a hold, median, declared', 'x', held(declared), 1.5, note),
    figure('prompt part of a hold, median, undeclared', 'x', held(undeclared), 1.5, note),
    figure(
      'refused below 97 % of the window',
      '%',
      (refusedInVain(fitted).length / within.length) * PERCENT,
      0,
      fitNote,
    ),
    figure('sent in vain', '%', (sentInVain(fitted).length / fitted.length) * PERCENT, 0.5, fitNote),
  ];
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function turnOf({ messages, tools }: Sample): Turn {
  return {
    kind: 'conversation',
    models: ['a/b'],
    messages,
    tools,
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
  };
}

function truth({ messages, tools }: Sample, vocabulary: Reference): number {
  const count = (text: string): number => VOCABULARIES[vocabulary](text, AS_TEXT);
  const said = messages.reduce((sum, { text }) => sum + MESSAGE_TOKENS + count(text ?? ''), REQUEST_TOKENS);
  const declared = tools.map((tool) => JSON.stringify({ type: 'function', function: tool }));
  return said + (tools.length === 0 ? 0 : count(declared.join('\n')));
}
