import { invalid } from '../../terms/invalid.ts';
import { LABEL_CHARACTERS_MAX } from './members.ts';

/**
 * The conversation of a request: the first non-empty name in the body, in the dialect's order, else the header. Null
 * without any. (rule I125)
 */
export function conversationOf(
  named: readonly (string | null | undefined)[],
  sessionHeader: string | null,
): string | null {
  if (sessionHeader !== null && sessionHeader.length > LABEL_CHARACTERS_MAX) {
    throw invalid(`X-Session-Id must have at most ${LABEL_CHARACTERS_MAX} characters`);
  }
  return named.find(Boolean) || sessionHeader || null;
}
