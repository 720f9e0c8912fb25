import { invalid } from '../../terms/gateway-error.ts';
import type { ContentPart, Turn, TurnMessage } from '../../terms/turn.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { parseSource } from '../request/parse-source.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { type RerankDocument, type RerankRequest, rerankRequest } from './request-schema.ts';

const checked = requestCheck(rerankRequest);

const FORWARDED = forwardedParameters('rerank');

/** The documents as they are shown in the answer; null where only places and scores are asked for. */
type Shown = readonly RerankDocument[] | null;

/**
 * Parses a request for a ranking into a turn with one message for each document and the output `rerank`. `sessionHeader`
 * is `X-Session-Id`. Throws a 400 that names the member and its bound. (rule I150)
 */
export function parse(body: unknown, sessionHeader: string | null): { readonly turn: Turn; readonly documents: Shown } {
  const request = checked(body);
  const { query, documents, user, return_documents: isShown } = request;
  const conversation = conversationOf([request.session_id], sessionHeader);
  const messages = documents.map(messageOf);
  const turn: Turn = {
    kind: 'ranking',
    models: parseModels(request),
    messages,
    ranking: { query, most: mostOf(request) },
    stream: false,
    sampling: requestedSettings(request, FORWARDED),
    modalities: { input: messages.some(({ parts }) => parts !== undefined) ? ['image'] : [], output: ['rerank'] },
    preferences: parsePreferences(request),
    ...(user == null ? {} : { user }),
    ...(conversation === null ? {} : { conversation }),
  };
  return { turn, documents: isShown === false ? null : documents };
}

function mostOf({ top_n: most, documents: { length } }: RerankRequest): number {
  return Math.min(most ?? length, length);
}

function messageOf(
  document: RerankDocument,
  nth: number,
): Extract<TurnMessage, { role: 'system' | 'developer' | 'user' }> {
  if (typeof document === 'string') return { role: 'user', text: document };
  const { text, image } = document;
  if (text == null && image == null) throw invalid(`documents[${nth}] must have a text or an image`);
  if (image == null) return { role: 'user', text: text ?? '' };
  const picture: ContentPart = { type: 'image', source: parseSource(image, `documents[${nth}].image`) };
  return { role: 'user', text: text ?? '', parts: text == null ? [picture] : [{ type: 'text', text }, picture] };
}
