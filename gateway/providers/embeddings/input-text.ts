import type { TurnMessage } from '../../terms/turn.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** An input of embeddings for a wire without token ids: routing sends none there. Throws `ProviderFailure` for ids. */
export function inputText(message: TurnMessage): string {
  if (message.role !== 'user' || message.tokens === undefined) return message.text ?? '';
  throw unsupportedInput('the wire embeds no token ids');
}

/** What the wire has no form for, which is refused before the call. */
export function unsupportedInput(detail: string): ProviderFailure {
  return new ProviderFailure('rejected', detail, null, { code: 'unsupported_parameter', param: 'input' });
}
