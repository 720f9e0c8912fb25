import { invalid } from '../../terms/gateway-error.ts';
import type { Turn } from '../../terms/turn.ts';
import { inexpressible } from '../../terms/turn.ts';
import { Carried } from '../request/carried.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { asksCompression } from '../request/shared-members.ts';
import { cacheMark } from './parse-content.ts';
import { parseMessages } from './parse-messages.ts';
import { parseTools, toolsOf } from './parse-tools.ts';
import { countRequest, type MessagesRequest, messagesRequest } from './request-schema.ts';

const checkedRequest = requestCheck(messagesRequest);
const checkedCount = requestCheck(countRequest);

const FORWARDED = forwardedParameters('messages');
/** Name of the schema of an answer, for endpoints that require one. */
const SCHEMA_NAME = 'response';
/** This dialect has no form for generated speech. */
const INEXPRESSIBLE = ['audio'] as const;

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

/**
 * Parses a messages request into a turn. `body` is any JSON value and is not changed; an explicit null at an optional
 * member counts as absent. `sessionHeader` is `X-Session-Id`, the only name of a conversation here. Throws a 400 that
 * names the member and its bound, and 422 for speech. (rule I71, rule I125)
 */
export function parse(body: unknown, sessionHeader: string | null = null): Turn {
  const request = checkedRequest(body);
  if (request.thread != null) {
    throw invalid(
      'thread must be null: conversations are not retained; send all messages',
      'thread_unsupported_request',
    );
  }
  if (request.stream_options?.include_tool_dispatch === true) {
    throw invalid('stream_options.include_tool_dispatch is an extension of /chat/completions and not supported here');
  }
  const carried = new Carried();
  const turn: MutableTurn = {
    kind: 'conversation',
    models: parseModels(request),
    messages: parseMessages(request.messages, request.system, carried),
    stream: request.stream ?? false,
    sampling: samplingOf(request),
    completionTokensMax: request.max_tokens,
    preferences: parsePreferences(request),
    inexpressible: INEXPRESSIBLE,
    ...cacheMark(request),
  };
  if (carried.files !== null) turn.files = carried.files;
  parseTools(request, turn);
  addMedia(request, turn, carried);
  const format = request.output_config?.format;
  if (format != null) turn.responseFormat = schemaFormat(format.schema);
  if (asksCompression(request)) turn.compress = true;
  const conversation = conversationOf([], sessionHeader);
  if (conversation) turn.conversation = conversation;
  return turn;
}

/** The prompt of a count request, as far as its size depends on it. (rule I78) */
export function parseCount(body: unknown): Turn {
  const request = checkedCount(body);
  const tools = toolsOf(request.tools);
  return {
    kind: 'conversation',
    models: parseModels(request),
    messages: parseMessages(request.messages, request.system, new Carried()),
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
    ...(tools.length === 0 ? {} : { tools }),
  };
}

function samplingOf(request: MessagesRequest): Readonly<Record<string, unknown>> {
  const sampling = requestedSettings(request, FORWARDED);
  const stops = request.stop_sequences ?? [];
  if (stops.length > 0) sampling.stop = stops;
  return sampling;
}

function schemaFormat(schema: unknown): NonNullable<Turn['responseFormat']> {
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: true } };
}

/** (rule I122, rule I76) */
function addMedia({ modalities }: MessagesRequest, turn: MutableTurn, { input }: Carried): void {
  if (modalities?.includes('audio')) throw inexpressible('audio');
  const output = modalities?.includes('image') ? (['image'] as const) : [];
  if (input !== null || output.length > 0) turn.modalities = { input: input ?? [], output };
}
