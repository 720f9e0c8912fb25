import type { Turn } from '../../terms/turn.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { parseInput, refuseMixedInput } from './parse-input.ts';
import { embeddingsRequest } from './request-schema.ts';

const checked = requestCheck(embeddingsRequest);

const FORWARDED = forwardedParameters('embeddings');

/** How the vectors of the answer are written. */
export type Encoding = 'float' | 'base64';

/**
 * Parses an embeddings request into a turn with one message for each input and the output `embeddings`. `sessionHeader`
 * is `X-Session-Id`. Throws a 400 that names the member and its bound. (rule I105)
 */
export function parse(
  body: unknown,
  sessionHeader: string | null,
): { readonly turn: Turn; readonly encoding: Encoding } {
  refuseMixedInput((body as { readonly input?: unknown } | null)?.input);
  const request = checked(body);
  const conversation = conversationOf([], sessionHeader);
  const turn: Turn = {
    kind: 'vectors',
    models: parseModels(request),
    messages: parseInput(request.input),
    stream: false,
    sampling: requestedSettings(request, FORWARDED),
    modalities: { input: [], output: ['embeddings'] },
    preferences: parsePreferences(request),
    ...(request.user == null ? {} : { user: request.user }),
    ...(conversation === null ? {} : { conversation }),
  };
  return { turn, encoding: request.encoding_format ?? 'float' };
}
