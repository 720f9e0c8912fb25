import { invalid } from '../../terms/gateway-error.ts';
import { CEILING_MAX } from '../../terms/parameters.ts';
import type { ToolChoice, Turn } from '../../terms/turn.ts';
import { Carried } from '../request/carried.ts';
import { addMedia } from '../request/media-members.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { reasoningOf } from '../request/reasoning-members.ts';
import { asksCompression } from '../request/shared-members.ts';
import { type FlatTool, flatTools } from './flat-tools.ts';
import { parseInput } from './parse-input.ts';
import { type ResponsesRequest, responsesRequest } from './request-schema.ts';

const checked = requestCheck(responsesRequest);

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

const FORWARDED = forwardedParameters('responses');

/** A parsed responses request: the turn, and what its response repeats and names. */
interface ParsedResponses {
  readonly turn: Turn;
  readonly request: ResponsesRequest;
  readonly tools: readonly FlatTool[];
}

/**
 * Parses a responses request into a turn. `body` is the result of `JSON.parse` and is not changed; an explicit null at
 * an optional member counts as absent. `sessionHeader` is `X-Session-Id`. Throws a 400 that names the member and its
 * bound. (rule I84, rule I125)
 */
export function parse(body: unknown, sessionHeader: string | null = null): ParsedResponses {
  refuseRetained(body);
  const request = checked(body);
  refuseUnsupported(request);
  const tools = flatTools(request.tools ?? []);
  const carried = new Carried('input');
  const turn: MutableTurn = {
    kind: 'conversation',
    models: parseModels(request),
    messages: parseInput(request.instructions ?? null, request.input, carried),
    stream: request.stream ?? false,
    sampling: requestedSettings(request, FORWARDED),
    // `store` and `user` have no effect in this dialect, so neither reaches the preferences or a provider.
    preferences: parsePreferences({ provider: request.provider ?? null, route: request.route ?? null }),
  };
  if (carried.files !== null) turn.files = carried.files;
  addMedia(request, turn, carried);
  addTools(request, tools, turn);
  addConstraints(request, turn);
  const conversation = conversationOf([request.prompt_cache_key], sessionHeader);
  if (conversation !== null) turn.conversation = conversation;
  return { turn, request, tools };
}

/** What a request may not refer to, since nothing is retained. (rule I85) */
const RETAINED: Readonly<Record<string, string>> = {
  previous_response_id: 'responses are not retained; send the whole conversation as input',
  conversation: 'conversations are not retained; send the whole conversation as input',
  prompt: 'prompts are not retained; send instructions and input',
};

/** Before the other members: a request that refers to one of these may lack its input. */
function refuseRetained(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const member in RETAINED) {
    const given = (body as Readonly<Record<string, unknown>>)[member];
    if (given != null) throw invalid(`${member} must be null: ${RETAINED[member]}`);
  }
}

/** (rule I85, rule I70) */
function refuseUnsupported(request: ResponsesRequest): void {
  if (request.background === true) throw invalid('background must be false: responses are not retained');
  if (request.generate === false) throw invalid('generate must be true: a turn is prepared over a WebSocket alone');
  if (request.stream_options?.include_tool_dispatch === true) {
    throw invalid('stream_options.include_tool_dispatch is supported by /chat/completions alone');
  }
}

/** A required call needs a tool to call; without tools the other members have no effect. */
function addTools(request: ResponsesRequest, tools: readonly FlatTool[], turn: MutableTurn): void {
  const { tool_choice: choice } = request;
  if (tools.length === 0) {
    if (choice == null || choice === 'none' || choice === 'auto') return;
    throw invalid('tool_choice asks for a tool call and tools has none');
  }
  if (choice != null) turn.toolChoice = choiceOf(choice, tools);
  turn.tools = tools.map(({ tool }) => tool);
  if (request.parallel_tool_calls != null) turn.parallelToolCalls = request.parallel_tool_calls;
}

/** Without a namespace the name of a function in none, or else of the only one that has it. */
function choiceOf(choice: NonNullable<ResponsesRequest['tool_choice']>, tools: readonly FlatTool[]): ToolChoice {
  if (typeof choice === 'string') return choice as Exclude<ToolChoice, object>;
  const { name, namespace = null } = choice;
  const named = tools.filter(({ client }) => client.name === name);
  const [only, second] = named;
  const found =
    named.find(({ client }) => client.namespace === namespace) ??
    (namespace === null && second === undefined ? only : undefined);
  if (found === undefined) throw invalid(`tool_choice.name: ${name} is not among tools`);
  return { name: found.tool.name };
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
