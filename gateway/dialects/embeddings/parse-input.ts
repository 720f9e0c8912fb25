import { invalid } from '../../terms/gateway-error.ts';
import type { TurnMessage } from '../../terms/turn.ts';
import { INPUT_TOKENS_MAX } from '../../terms/turn-kind.ts';
import { type EmbeddingsRequest, INPUTS_MAX, TOKEN_ID_MAX } from './request-schema.ts';

/** One message for each input. */
export function parseInput(input: EmbeddingsRequest['input']): readonly TurnMessage[] {
  if (typeof input === 'string') return [{ role: 'user', text: input }];
  if (typeof input[0] === 'number') return [inputOf(input as readonly number[])];
  return (input as readonly (string | readonly number[])[]).map(inputOf);
}

function inputOf(input: string | readonly number[]): TurnMessage {
  return typeof input === 'string' ? { role: 'user', text: input } : { role: 'user', text: '', tokens: input };
}

/**
 * Refuses an input of the wrong kind by the kind of its first entry: the schema would compare it with the first kind
 * alone, and name a text to those who send token ids.
 */
export function refuseMixedInput(input: unknown): void {
  if (input == null || typeof input === 'string') return;
  if (!Array.isArray(input)) throw invalid('input must be a string or an array');
  const [first] = input;
  const kind = kindOf(first);
  const most = kind === 'a token id' ? INPUT_TOKENS_MAX : INPUTS_MAX;
  if (input.length > most) throw invalid(`input must have at most ${most} items`);
  for (const [at, entry] of input.entries()) {
    if (kindOf(entry) === 'parts')
      throw invalid(`input[${at}] must be a text or token ids: content parts are not embedded`);
    if (kindOf(entry) !== kind) throw invalid(`input[${at}] must be ${kind}, as input[0] is`);
    if (kind === 'a list of token ids') refuseTokens(entry as readonly unknown[], `input[${at}]`);
  }
  if (kind === 'a token id') refuseTokens(input, 'input');
}

type Kind = 'a text' | 'a token id' | 'a list of token ids' | 'parts';

function kindOf(entry: unknown): Kind {
  if (typeof entry === 'string') return 'a text';
  if (typeof entry === 'number') return 'a token id';
  return Array.isArray(entry) ? 'a list of token ids' : 'parts';
}

function refuseTokens(tokens: readonly unknown[], member: string): void {
  if (tokens.length === 0) throw invalid(`${member} must have at least 1 item`);
  if (tokens.length > INPUT_TOKENS_MAX) throw invalid(`${member} must have at most ${INPUT_TOKENS_MAX} items`);
  const at = tokens.findIndex((id) => !Number.isInteger(id) || (id as number) < 0 || (id as number) > TOKEN_ID_MAX);
  if (at >= 0) throw invalid(`${member}[${at}] must be a token id, a whole number from 0 to ${TOKEN_ID_MAX}`);
}
