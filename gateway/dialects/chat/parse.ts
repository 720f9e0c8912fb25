import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Modality } from '../../../actors/terms/endpoint.ts';
import { invalid } from '../../terms/invalid.ts';
import { isEmpty } from '../../terms/is-empty.ts';
import type { Reasoning, Turn } from '../../terms/turn.ts';
import { Carried } from '../request/carried.ts';
import { checked } from '../request/checked.ts';
import { conversationOf } from '../request/conversation-of.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { PICTURE_SETTINGS } from '../request/picture-settings.ts';
import { requestedSettings } from '../request/requested-settings.ts';
import { asksCompression } from '../request/shared-members.ts';
import { withoutNulls } from '../request/without-nulls.ts';
import { parseMessages } from './parse-messages.ts';
import { parseTools } from './parse-tools.ts';
import { type ChatRequest, chatRequest } from './request-schema.ts';

const check = TypeCompiler.Compile(chatRequest);

/** Characters of `metadata` as JSON: it is stored in the row of its generation. */
const METADATA_CHARACTERS_MAX = 65_536;

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

/** Forwarded unchanged, under these names, to endpoints that declare them. */
const SAMPLING = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'stop',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'enable_thinking',
] as const satisfies readonly (keyof ChatRequest)[];

/**
 * Parses a chat request into a turn. `body` is the result of `JSON.parse` and is not changed: no coercion, no defaults;
 * an explicit null at an optional member counts as absent. `sessionHeader` is `X-Session-Id`. Throws a 400 that names
 * the member and its bound. (spec: inference, Chat completion request, Routing rules 1)
 */
export function parse(body: unknown, sessionHeader: string | null = null): Turn {
  const request = checked(check, body);
  if (request.store === true) throw invalid('store must be false: nothing is stored');
  const carried = new Carried();
  const turn: MutableTurn = {
    models: parseModels(request),
    messages: parseMessages(request.messages, carried),
    stream: request.stream ?? false,
    sampling: samplingOf(request),
    preferences: parsePreferences(request),
  };
  if (carried.files !== null) turn.files = carried.files;
  parseTools(request, turn);
  addMarks(request, turn, sessionHeader);
  addConstraints(request, turn);
  addMedia(request, turn, carried);
  return turn;
}

function samplingOf(request: ChatRequest): Readonly<Record<string, unknown>> {
  const sampling = requestedSettings(request, SAMPLING);
  if (request.logit_bias) {
    const bias = withoutNulls(request.logit_bias);
    if (isEmpty(bias)) delete sampling.logit_bias;
    else sampling.logit_bias = bias;
  }
  // `false` is the default, so the endpoint need not declare the parameter.
  if (request.logprobs === false) delete sampling.logprobs;
  return sampling;
}

/** Adds members that describe the request and set nothing on the model, and the ceiling. */
function addMarks(request: ChatRequest, turn: MutableTurn, sessionHeader: string | null): void {
  const ceiling = Math.min(request.max_completion_tokens ?? Infinity, request.max_tokens ?? Infinity);
  if (ceiling !== Infinity) turn.completionTokensMax = ceiling;
  if (request.user != null) turn.user = request.user;
  if (request.metadata != null) turn.metadata = boundedMetadata(request.metadata);
  const conversation = conversationOf([request.session_id, request.prompt_cache_key], sessionHeader);
  if (conversation) turn.conversation = conversation;
}

function boundedMetadata(metadata: object): Readonly<Record<string, unknown>> {
  if (JSON.stringify(metadata).length > METADATA_CHARACTERS_MAX) {
    throw invalid(`metadata must have at most ${METADATA_CHARACTERS_MAX} characters as JSON`);
  }
  return metadata as Readonly<Record<string, unknown>>;
}

function addConstraints(request: ChatRequest, turn: MutableTurn): void {
  const format = request.response_format;
  if (format?.type === 'json_object') turn.responseFormat = { type: 'json_object' };
  if (format?.type === 'json_schema') {
    turn.responseFormat = { type: 'json_schema', json_schema: format.json_schema };
  }
  if (request.structured_outputs === true) turn.requires = ['structured_outputs'];
  const reasoning = reasoningOf(request);
  if (reasoning) turn.reasoning = reasoning;
  if (asksCompression(request)) turn.compress = true;
}

function addMedia(request: ChatRequest, turn: MutableTurn, { input }: Carried): void {
  if (input === null && !request.modalities && !request.audio && !request.image_config) return;
  const output = new Set<Modality>((request.modalities ?? []).filter((modality) => modality !== 'text'));
  if (request.audio) {
    const { voice, format } = request.audio;
    turn.speech = { voice, format };
    output.add('audio');
  }
  if (input !== null || output.size > 0) turn.modalities = { input: input ?? [], output: [...output] };
  const config = requestedSettings<NonNullable<ChatRequest['image_config']>>(
    request.image_config ?? {},
    PICTURE_SETTINGS,
  );
  if (Object.keys(config).length > 0) turn.imageConfig = config;
}

function reasoningOf(request: ChatRequest): Reasoning | null {
  if (request.reasoning_effort == null && !request.reasoning) return null;
  const effort = request.reasoning_effort ?? request.reasoning?.effort;
  const { max_tokens: tokensMax, enabled, exclude } = request.reasoning ?? {};
  if (effort == null && tokensMax == null && enabled == null && exclude !== true) return null;
  return {
    ...(effort == null ? {} : { effort }),
    ...(tokensMax == null ? {} : { tokensMax }),
    ...(enabled == null ? {} : { enabled }),
    ...(exclude === true ? { excluded: true } : {}),
  };
}
