import type { Behaviour } from './behaviour.ts';
import { type ChatRequest, type ChatTool, textOf } from './chat-request.ts';
import { type Flaw, flawsOf } from './flaws.ts';
import { jsonAnswer } from './json-answer.ts';

/**
 * What a call is answered with, before it is put on the wire. Text comes in numbered chunks (`x1 x2 x3 ...` behind a
 * tag of the call), so that a reader sees at once when one is missing, doubled or from another call.
 */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly reasoning: readonly string[];
  readonly chunks: readonly string[];
  /** In place of text. */
  readonly refusal?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: string;
  /** Null: not reported. */
  readonly usage: Readonly<Record<string, unknown>> | null;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

export function answerOf(request: ChatRequest, behaviour: Behaviour, call: { provider: string; call: number }): Answer {
  const flaws = flawsOf(request.model ?? '');
  const refuses = flaws.has('refuses');
  const toolCalls = refuses ? [] : toolCallsOf(request, behaviour, call.call, flaws);
  const text = behaviour.text ?? jsonAnswer(request);
  const chunks =
    refuses || toolCalls.length > 0 ? [] : chunksOf({ ...behaviour, text }, `${call.provider}:${call.call} `);
  const reasoning = thoughts(request, behaviour, flaws);
  const finish = behaviour.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
  const completion = chunks.length + reasoning.length + toolCalls.length * 8;
  return {
    id: `chatcmpl-${call.provider}-${call.call}`,
    model: request.model ?? '',
    created: Math.floor(Date.now() / 1_000),
    reasoning,
    chunks,
    ...(refuses ? { refusal: 'I would rather not.' } : {}),
    toolCalls,
    finish,
    usage: usageOf(
      behaviour,
      promptTokens(request),
      completion,
      flaws.has('never-thinks') ? 0 : reasoning.length || null,
    ),
  };
}

/** Thoughts are given at any effort but `none`. */
function thoughts(request: ChatRequest, behaviour: Behaviour, flaws: ReadonlySet<Flaw>): readonly string[] {
  const silent = request.reasoning_effort === 'none' && !flaws.has('thinks-despite-none');
  return Array.from({ length: silent ? 0 : behaviour.reasoningTokens }, (_, at) => `r${at + 1} `);
}

function chunksOf(behaviour: Behaviour, tag: string): readonly string[] {
  if (behaviour.text !== null) return behaviour.text.match(/\S+\s*|\s+/g) ?? [];
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

function usageOf(
  behaviour: Behaviour,
  prompt: number,
  completion: number,
  reasoning: number | null,
): Readonly<Record<string, unknown>> | null {
  if (behaviour.usage === false) return null;
  const usage: Record<string, unknown> = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  if (reasoning !== null) usage.completion_tokens_details = { reasoning_tokens: reasoning };
  return behaviour.usage === true ? usage : { ...usage, ...behaviour.usage };
}

/** A tool is called when the caller demands it, or always by `sim/tools` as long as no tool has answered yet. */
function toolCallsOf(
  request: ChatRequest,
  behaviour: Behaviour,
  call: number,
  flaws: ReadonlySet<Flaw>,
): readonly ToolCall[] {
  if (behaviour.toolCalls !== null) {
    return behaviour.toolCalls.map((tool, at) => ({
      id: `call_${call}_${at}`,
      name: tool.name,
      arguments: tool.arguments ?? '{}',
    }));
  }
  const tools = request.tools ?? [];
  const choice = request.tool_choice;
  if (tools.length === 0 || choice === 'none' || flaws.has('prose-for-tools')) return [];
  const named = typeof choice === 'object' ? choice.function?.name : undefined;
  const answered = request.messages?.at(-1)?.role === 'tool';
  if (named === undefined && choice !== 'required' && (request.model !== 'sim/tools' || answered)) return [];
  const tool = tools.find((each) => each.function?.name === named) ?? tools[0];
  const given = argumentsFor(tool);
  const whole = flaws.has('broken-arguments') ? given.slice(0, -1) : given;
  return [{ id: `call_${call}_0`, name: tool?.function?.name ?? 'tool', arguments: whole }];
}

/** One plain value for each declared property. */
function argumentsFor(tool: ChatTool | undefined): string {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(tool?.function?.parameters?.properties ?? {})) {
    const type = schema.type;
    if (type === 'number' || type === 'integer') values[name] = 1;
    else if (type === 'boolean') values[name] = true;
    else if (type === 'array') values[name] = [];
    else if (type === 'object') values[name] = {};
    else values[name] = 'x';
  }
  return JSON.stringify(values);
}
