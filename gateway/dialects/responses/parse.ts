import { Compile } from 'typebox/compile';
import { invalid } from '../../terms/invalid.ts';
import type { Tool, ToolChoice, Turn } from '../../terms/turn.ts';
import { Carried } from '../request/carried.ts';
import { checked } from '../request/checked.ts';
import { conversationOf } from '../request/conversation-of.ts';
import { addMedia } from '../request/media-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { reasoningOf } from '../request/reasoning-members.ts';
import { requestedSettings } from '../request/requested-settings.ts';
import { asksCompression, CEILING_MAX } from '../request/shared-members.ts';
import { parseInput } from './parse-input.ts';
import { type ResponsesRequest, responsesRequest } from './request-schema.ts';

const check = Compile(responsesRequest);

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

/** Forwarded unchanged, under these names, to endpoints that declare them. */
const SAMPLING = ['temperature', 'top_p'] as const satisfies readonly (keyof ResponsesRequest)[];

/** A parsed responses request: the turn, and the checked request, whose members the response repeats. */
export interface ParsedResponses {
  readonly turn: Turn;
  readonly request: ResponsesRequest;
}

/**
 * Parses a responses request into a turn. `body` is the result of `JSON.parse` and is not changed; an explicit null at
 * an optional member counts as absent. `sessionHeader` is `X-Session-Id`. Throws a 400 that names the member and its
 * bound. (spec: inference, Responses dialect request, Routing rules 1)
 */
export function parse(body: unknown, sessionHeader: string | null = null): ParsedResponses {
  const request = checked(check, body);
  refuseUnsupported(request);
  const carried = new Carried('input');
  const turn: MutableTurn = {
    models: parseModels(request),
    messages: parseInput(request.instructions ?? null, request.input, carried),
    stream: request.stream ?? false,
    sampling: requestedSettings(request, SAMPLING),
    // `store` and `user` have no effect in this dialect, so neither reaches the preferences or a provider.
    preferences: parsePreferences({ provider: request.provider ?? null, route: request.route ?? null }),
  };
  if (carried.files !== null) turn.files = carried.files;
  addMedia(request, turn, carried);
  addTools(request, turn);
  addConstraints(request, turn);
  const conversation = conversationOf([request.prompt_cache_key], sessionHeader);
  if (conversation !== null) turn.conversation = conversation;
  return { turn, request };
}

/** (spec: inference, Errors 7, Call-ready tool dispatch) */
function refuseUnsupported(request: ResponsesRequest): void {
  if (request.previous_response_id != null) {
    throw invalid(
      'previous_response_id must be null: responses are not retained; send the whole conversation as input',
    );
  }
  if (request.background === true) throw invalid('background must be false: responses are not retained');
  if (request.stream_options?.include_tool_dispatch === true) {
    throw invalid('stream_options.include_tool_dispatch is supported by /chat/completions alone');
  }
}

/** A required call needs a tool to call; without tools the other members have no effect. */
function addTools(request: ResponsesRequest, turn: MutableTurn): void {
  const choice = choiceOf(request);
  const tools = request.tools ?? [];
  if (tools.length === 0) {
    if (choice === null || choice === 'none' || choice === 'auto') return;
    throw invalid('tool_choice asks for a tool call and tools has none');
  }
  if (choice !== null && typeof choice === 'object' && !tools.some(({ name }) => name === choice.name)) {
    throw invalid(`tool_choice.name: ${choice.name} is not among tools`);
  }
  if (choice !== null) turn.toolChoice = choice;
  turn.tools = tools.map(toolOf);
  if (request.parallel_tool_calls != null) turn.parallelToolCalls = request.parallel_tool_calls;
}

function choiceOf({ tool_choice: choice }: ResponsesRequest): ToolChoice | null {
  if (choice == null) return null;
  return typeof choice === 'string' ? (choice as Exclude<ToolChoice, object>) : { name: choice.name };
}

function toolOf({ name, description, parameters, strict }: NonNullable<ResponsesRequest['tools']>[number]): Tool {
  return {
    name,
    ...(description == null ? {} : { description }),
    ...(parameters == null ? {} : { parameters }),
    ...(strict == null ? {} : { strict }),
  };
}

function addConstraints(request: ResponsesRequest, turn: MutableTurn): void {
  // No endpoint emits more than the ceiling of the other dialects, so a larger one says the same.
  if (request.max_output_tokens != null) turn.completionTokensMax = Math.min(request.max_output_tokens, CEILING_MAX);
  const format = request.text?.format;
  if (format?.type === 'json_object') turn.responseFormat = { type: 'json_object' };
  if (format?.type === 'json_schema') {
    const { name, description, schema, strict } = format;
    turn.responseFormat = {
      type: 'json_schema',
      json_schema: {
        name,
        ...(description == null ? {} : { description }),
        schema,
        ...(strict == null ? {} : { strict }),
      },
    };
  }
  const reasoning = reasoningOf(request.reasoning ?? {});
  if (reasoning !== null) turn.reasoning = reasoning;
  if (asksCompression(request)) turn.compress = true;
}
