import type { Behaviour } from './behaviour.ts';
import { type ChatRequest, type JsonSchema, textOf } from './chat-request.ts';
import { flawsOf } from './flaws.ts';
import { picturesOf, type Speech, seenIn, speechOf, toldOf } from './media.ts';
import { piecesOf, wordsOf } from './pieces.ts';

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * The answer to a call, before a dialect serialises it. Its text is numbered chunks (`x1 x2 x3 ...` after a tag of the
 * call), so that a missing, doubled or foreign chunk is visible at once.
 */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly reasoning: readonly string[];
  /** The reasoning is also reported in structured entries. */
  readonly detailed: boolean;
  readonly chunks: readonly string[];
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** Data URLs. */
  readonly pictures: readonly string[];
  readonly speech: Speech | null;
  /** Alternatives per chunk in the log probabilities; null: not reported. */
  readonly logprobs: number | null;
  readonly finish: string;
  /** Null: not reported. */
  readonly usage: Readonly<Record<string, unknown>> | null;
}

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_PICTURE = 258;
const TOKENS_PER_SECOND = 20;
const TOKENS_PER_CALL = 8;
const JSON_PIECE_CHARS = 8;

export function answerOf(request: ChatRequest, behaviour: Behaviour, call: { provider: string; call: number }): Answer {
  const toolCalls =
    behaviour.refusal === null ? toolCallsOf(request, behaviour, `call_${call.provider}_${call.call}`) : [];
  const pictures = toolCalls.length > 0 ? [] : picturesOf(request, behaviour, call.call);
  const silent = toolCalls.length > 0 || pictures.length > 0 || behaviour.refusal !== null;
  const text = silent ? [] : chunksOf(request, behaviour, `${call.provider}:${call.call} `);
  const id = `chatcmpl-${call.provider}-${call.call}`;
  const created = Math.floor(Date.now() / 1_000);
  const speech = silent ? null : speechOf(request, behaviour, { id, text: text.join(''), created });
  const reasoning = Array.from({ length: behaviour.reasoningTokens }, (_, at) => `r${at + 1} `);
  const answer = {
    id,
    model: request.model ?? '',
    created,
    reasoning,
    detailed: behaviour.detailed,
    chunks: speech === null ? text : [],
    refusal: behaviour.refusal,
    toolCalls,
    pictures,
    speech,
    logprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
    finish: behaviour.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
  };
  return { ...answer, usage: usageOf(behaviour, promptTokens(request), answer, text.length) };
}

function chunksOf(request: ChatRequest, behaviour: Behaviour, tag: string): readonly string[] {
  if (behaviour.text !== null) return wordsOf(behaviour.text);
  const json = jsonAnswer(request);
  if (json !== null) return piecesOf(json, JSON_PIECE_CHARS);
  const told = toldOf(request);
  if (told !== null) return wordsOf(`${tag}${told}`);
  const seen = behaviour.sees ? seenIn(request) : [];
  if (seen.length > 0) return wordsOf(`${tag}sees ${seen.join(', ')}`);
  const chunks: string[] = [];
  for (let at = 0; at < behaviour.tokens; at++) chunks.push(at === 0 ? tag : `x${at} `);
  return chunks;
}

function promptTokens(request: ChatRequest): number {
  let tokens = 0;
  for (const message of request.messages ?? []) {
    tokens += TOKENS_PER_MESSAGE + Math.ceil(textOf(message).length / CHARS_PER_TOKEN);
  }
  if (request.tools) tokens += Math.ceil(JSON.stringify(request.tools).length / CHARS_PER_TOKEN);
  return tokens;
}

/** The JSON that a request's format requires, with one plain value per member; null without a JSON format. */
function jsonAnswer(request: ChatRequest): string | null {
  const format = request.response_format;
  const flaws = flawsOf(request.model ?? '');
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return null;
  if (flaws.has('ignores-format')) return null;
  if (format.type === 'json_object' || flaws.has('ignores-schema')) return '{"answer": "x"}';
  return JSON.stringify(filled(format.json_schema?.schema));
}

/**
 * Calls a tool if the request requires one; `sim/tools` also calls one on its own until a tool has answered. No two
 * providers give a call the same id.
 */
function toolCallsOf(request: ChatRequest, behaviour: Behaviour, id: string): readonly ToolCall[] {
  if (behaviour.toolCalls !== null) {
    return behaviour.toolCalls.map((tool, at) => ({
      id: `${id}_${at}`,
      name: tool.name,
      arguments: tool.arguments ?? '{}',
    }));
  }
  const tools = request.tools ?? [];
  const choice = request.tool_choice;
  const flaws = flawsOf(request.model ?? '');
  if (tools.length === 0 || choice === 'none' || flaws.has('prose-for-tools')) return [];
  const named = typeof choice === 'object' ? choice.function?.name : undefined;
  const answered = request.messages?.at(-1)?.role === 'tool';
  if (named === undefined && choice !== 'required' && (request.model !== 'sim/tools' || answered)) return [];
  const tool = tools.find((each) => each.function?.name === named) ?? tools[0];
  const given = JSON.stringify(filled({ type: 'object', ...tool?.function?.parameters }));
  const text = flaws.has('broken-arguments') ? given.slice(0, -1) : given;
  return [{ id: `${id}_0`, name: tool?.function?.name ?? 'tool', arguments: text }];
}

/** In the form of the chat dialect: cached tokens are included in the prompt's. */
function usageOf(
  behaviour: Behaviour,
  prompt: number,
  answer: Pick<Answer, 'model' | 'reasoning' | 'toolCalls' | 'pictures' | 'speech'>,
  spoken: number,
): Readonly<Record<string, unknown>> | null {
  if (behaviour.usage === false) return null;
  const pictures = answer.pictures.length * TOKENS_PER_PICTURE;
  const speech = answer.speech === null ? 0 : Math.ceil(behaviour.audioSeconds * TOKENS_PER_SECOND);
  const reasoning = answer.reasoning.length;
  const completion = spoken + reasoning + pictures + speech + answer.toolCalls.length * TOKENS_PER_CALL;
  const cached = Math.floor(prompt * behaviour.cachedShare);
  const written = Math.floor(prompt * behaviour.writtenShare);
  const usage: Record<string, unknown> = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...details('prompt_tokens_details', { cached_tokens: cached, cache_write_tokens: written }),
    ...details('completion_tokens_details', {
      // `never-thinks` reports 0 reasoning tokens instead of omitting the count.
      reasoning_tokens: flawsOf(answer.model).has('never-thinks') ? 'none' : reasoning,
      image_tokens: pictures,
      audio_tokens: speech,
    }),
  };
  return behaviour.usage === true ? usage : { ...usage, ...behaviour.usage };
}

/** Omits counts of 0. */
function details(name: string, counts: Readonly<Record<string, number | 'none'>>): Readonly<Record<string, unknown>> {
  const some = Object.entries(counts).filter(([, count]) => count !== 0);
  const reported = some.map(([member, count]) => [member, count === 'none' ? 0 : count]);
  return reported.length === 0 ? {} : { [name]: Object.fromEntries(reported) };
}

const DEPTH_MAX = 16;

/** A value that follows the common keywords of a JSON schema: the first alternative, every declared property. */
function filled(schema: JsonSchema | undefined, root: JsonSchema | undefined = schema, depth = 0): unknown {
  if (schema === undefined || depth > DEPTH_MAX) return null;
  const named = schema.$ref?.startsWith('#/$defs/') ? root?.$defs?.[schema.$ref.slice('#/$defs/'.length)] : undefined;
  if (named) return filled(named, root, depth + 1);
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return filled(schema.anyOf[0], root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'number':
    case 'integer':
      return Math.max(1, Math.ceil(schema.minimum ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => filled(schema.items, root, depth + 1));
    case 'string':
      return 'x';
    default:
      return type === 'object' || schema.properties ? properties(schema, root, depth) : 'x';
  }
}

function properties(
  schema: JsonSchema,
  root: JsonSchema | undefined,
  depth: number,
): Readonly<Record<string, unknown>> {
  const declared = Object.entries(schema.properties ?? {});
  return Object.fromEntries(declared.map(([name, inner]) => [name, filled(inner, root, depth + 1)]));
}
