import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Modality } from '../../../actors/terms/offer.ts';
import type { Reasoning, Tool, ToolChoice, Turn } from '../../terms/turn.ts';
import { complaint } from './complaint.ts';
import { invalid } from './invalid.ts';
import { parseMessages } from './parse-messages.ts';
import { parsePreferences } from './parse-preferences.ts';
import { type ChatRequest, chatRequest } from './request-schema.ts';

const checked = TypeCompiler.Compile(chatRequest);
const SESSION_CHARACTERS_MAX = 256;

type MutableTurn = { -readonly [member in keyof Turn]: Turn[member] };

/** Forwarded as they are where the endpoint declares them, under these names. */
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
 * A chat request as a turn. `body` is what `JSON.parse` gave and is not changed: no coercion, no defaults, an explicit
 * null at an optional member is an absent one. `sessionHeader` is `X-Session-Id`. Throws a 400 that names the member
 * and its bound. (spec: inference, Chat completion request, Routing rules 1)
 */
export function parse(body: unknown, sessionHeader: string | null = null): Turn {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The request body must be a JSON object');
  }
  const named = body as { readonly model?: unknown; readonly models?: unknown };
  if (named.model == null && (named.models == null || (Array.isArray(named.models) && named.models.length === 0))) {
    throw invalid('model is required');
  }
  if (!checked.Check(body)) throw invalid(complaint(checked.Errors(body)));
  refuseUnsupported(body);

  const carries = new Set<Modality>();
  const turn: MutableTurn = {
    models: modelsOf(body),
    messages: parseMessages(body.messages, carries),
    stream: body.stream ?? false,
    sampling: samplingOf(body),
    preferences: parsePreferences(body),
  };
  addTools(body, turn);
  addMarks(body, turn, sessionHeader);
  addConstraints(body, turn, carries);
  return turn;
}

function refuseUnsupported(body: ChatRequest): void {
  if (body.store === true) throw invalid('store must be false: nothing is stored');
  for (const id of [body.model, ...(body.models ?? [])]) {
    if (id?.endsWith(':online')) throw invalid(`model ${id.slice(0, 100)}: the suffix :online is not supported`);
  }
}

/** `model` first, then `models`, each once. */
function modelsOf(body: ChatRequest): readonly string[] {
  if (body.model != null && !body.models) return [body.model];
  const all = body.model == null ? [] : [body.model];
  return [...new Set(all.concat(body.models ?? []))];
}

function samplingOf(body: ChatRequest): Readonly<Record<string, unknown>> {
  const sampling: Record<string, unknown> = {};
  for (const name of SAMPLING) {
    const value = body[name];
    if (value != null && !(Array.isArray(value) && value.length === 0)) sampling[name] = value;
  }
  return sampling;
}

function addTools(body: ChatRequest, turn: MutableTurn): void {
  const choice = body.tool_choice;
  const wanted: ToolChoice | null = choice == null || typeof choice === 'string' ? (choice ?? null) : choice.function;
  const tools = body.tools ?? [];
  if (tools.length === 0) {
    if (wanted === 'required' || (wanted !== null && typeof wanted === 'object')) {
      throw invalid('tool_choice asks for a tool call and tools has none');
    }
    return;
  }
  if (wanted !== null && typeof wanted === 'object') {
    if (!tools.some(({ function: declared }) => declared.name === wanted.name)) {
      throw invalid(`tool_choice.function.name: ${wanted.name} is not among tools`);
    }
    turn.toolChoice = { name: wanted.name };
  } else if (wanted !== null) {
    turn.toolChoice = wanted;
  }
  turn.tools = tools.map(toolOf);
  if (body.parallel_tool_calls != null) turn.parallelToolCalls = body.parallel_tool_calls;
}

function toolOf({ function: declared }: NonNullable<ChatRequest['tools']>[number]): Tool {
  return {
    name: declared.name,
    ...(declared.description == null ? {} : { description: declared.description }),
    ...(declared.parameters == null ? {} : { parameters: declared.parameters }),
    ...(declared.strict == null ? {} : { strict: declared.strict }),
  };
}

/** What says something about the request rather than asks something of the model. */
function addMarks(body: ChatRequest, turn: MutableTurn, sessionHeader: string | null): void {
  const ceiling = Math.min(body.max_completion_tokens ?? Infinity, body.max_tokens ?? Infinity);
  if (ceiling !== Infinity) turn.completionTokensMax = ceiling;
  if (body.user != null) turn.user = body.user;
  if (body.metadata != null) turn.metadata = body.metadata as Readonly<Record<string, unknown>>;
  if (sessionHeader !== null && sessionHeader.length > SESSION_CHARACTERS_MAX) {
    throw invalid(`X-Session-Id must have at most ${SESSION_CHARACTERS_MAX} characters`);
  }
  const conversation = body.session_id || body.prompt_cache_key || sessionHeader;
  if (conversation) turn.conversation = conversation;
}

function addConstraints(body: ChatRequest, turn: MutableTurn, carries: ReadonlySet<Modality>): void {
  const format = body.response_format;
  if (format && format.type !== 'text') turn.responseFormat = format;

  const requires: string[] = [];
  if (body.structured_outputs === true) requires.push('structured_outputs');
  if (requires.length > 0) turn.requires = requires;
  const reasoning = reasoningOf(body);
  if (reasoning) turn.reasoning = reasoning;

  const output: Modality[] = (body.modalities ?? []).filter((modality) => modality !== 'text');
  if (body.audio != null && !output.includes('audio')) output.push('audio');
  if (carries.size > 0 || output.length > 0) turn.modalities = { input: [...carries], output };

  if (body.stream === true && turn.tools && body.stream_options?.include_tool_dispatch === true) turn.dispatch = true;
}

function reasoningOf(body: ChatRequest): Reasoning | null {
  const effort = body.reasoning_effort ?? body.reasoning?.effort;
  const { max_tokens: tokensMax, enabled, exclude } = body.reasoning ?? {};
  if (effort == null && tokensMax == null && enabled == null && exclude !== true) return null;
  return {
    ...(effort == null ? {} : { effort }),
    ...(tokensMax == null ? {} : { tokensMax }),
    ...(enabled == null ? {} : { enabled }),
    ...(exclude === true ? { excluded: true } : {}),
  };
}
