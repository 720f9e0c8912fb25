import type { MediaPart, Turn, TurnMessage } from '../../terms/turn.ts';
import { PICTURE_SETTINGS } from '../request/media-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { parseSource } from '../request/parse-source.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { type ImagesRequest, imagesRequest } from './request-schema.ts';

const checked = requestCheck(imagesRequest);

/**
 * Parses an image generation request into a turn of one user message: the prompt, then the pictures it refers to. One
 * picture is requested unless `n` says otherwise, so that one is held and charged for. `sessionHeader` is
 * `X-Session-Id`. Throws a 400 that names the member and its bound. (rule I100, rule I122)
 */
export function parse(body: unknown, sessionHeader: string | null = null): Turn {
  const request = checked(body);
  const references = parseReferences(request);
  const conversation = conversationOf([request.session_id], sessionHeader);
  return {
    kind: 'picture',
    models: parseModels(request),
    messages: [messageOf(request.prompt, references)],
    stream: request.stream ?? false,
    sampling: {},
    modalities: { input: references.length === 0 ? [] : ['image'], output: ['image'] },
    imageConfig: { n: 1, ...requestedSettings(request, PICTURE_SETTINGS) },
    preferences: parsePreferences(request),
    ...(request.user == null ? {} : { user: request.user }),
    ...(conversation === null ? {} : { conversation }),
  };
}

function parseReferences({ input_references: references }: ImagesRequest): readonly MediaPart[] {
  return (references ?? []).map(({ image_url: { url } }, nth) => ({
    type: 'image',
    source: parseSource(url, `input_references[${nth}].image_url.url`),
  }));
}

function messageOf(text: string, references: readonly MediaPart[]): TurnMessage {
  if (references.length === 0) return { role: 'user', text };
  return { role: 'user', text, parts: [{ type: 'text', text }, ...references] };
}
