import { isEmpty } from '../../terms/exact-decimal.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Turn } from '../../terms/turn.ts';
import { Carried } from '../request/carried.ts';
import { addMedia } from '../request/media-members.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { conversationOf, requestCheck, requestedSettings, withoutNulls } from '../request/read-members.ts';
import { reasoningOf } from '../request/reasoning-members.ts';
import { asksCompression } from '../request/shared-members.ts';
import { parseMessages } from './parse-messages.ts';
import { parseTools } from './parse-tools.ts';
import { type ChatRequest, chatRequest } from './request-schema.ts';

const checked = requestCheck(chatRequest);

/** Characters of `metadata` as JSON: it is stored in the row of its generation. */
const METADATA_CHARACTERS_MAX = 65_536;

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

const FORWARDED = forwardedParameters('chat');

/**
 * Parses a chat request into a turn. `body` is the result of `JSON.parse` and is not changed: no coercion, no defaults;
 * an explicit null at an optional member counts as absent. `sessionHeader` is `X-Session-Id`. Throws a 400 that names
 * the member and its bound. (rule I13, rule I125)
 */
export function parse(body: unknown, sessionHeader: string | null = null): Turn {
  const request = checked(body);
  if (request.store === true) throw invalid('store must be false: nothing is stored');
  const carried = new Carried();
  const turn: MutableTurn = {
    kind: 'conversation',
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
  const sampling = requestedSettings(request, FORWARDED);
  if (request.logit_bias) {
    const bias = withoutNulls(request.logit_bias);
    if (isEmpty(bias)) delete sampling.logit_bias;
    else sampling.logit_bias = bias;
  }
  // `false` and 0 are the defaults, so the endpoint need not declare the parameters.
  if (request.logprobs === false) delete sampling.logprobs;
  if (request.top_logprobs === 0) delete sampling.top_logprobs;
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
    turn.responseFormat = { type: 'json_schema', json_schema: withoutNulls(format.json_schema) };
  }
  if (request.structured_outputs === true) turn.requires = ['structured_outputs'];
  const effort = request.reasoning_effort ?? request.reasoning?.effort ?? null;
  const reasoning = reasoningOf({ ...request.reasoning, effort });
  if (reasoning) turn.reasoning = reasoning;
  if (asksCompression(request)) turn.compress = true;
}
