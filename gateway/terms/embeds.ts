import type { Turn } from './turn.ts';

/** Tokens of all inputs of one embeddings request. (conventions 1.8) */
export const INPUT_TOKENS_MAX = 300_000;

/** True for a turn that asks for vectors: each of its messages is one input, which no template surrounds. */
export function embeds({ modalities }: Pick<Turn, 'modalities'>): boolean {
  return modalities?.output.includes('embeddings') ?? false;
}

/** How many windows the prompt of a turn may fill: each input of an embeddings request has one of its own. */
export function windowsOf(turn: Pick<Turn, 'modalities' | 'messages'>): number {
  return embeds(turn) ? turn.messages.length : 1;
}
