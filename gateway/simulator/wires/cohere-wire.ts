import type { Answer } from '../answer/answer.ts';
import type { ChatRequest, JsonSchema } from '../answer/chat-request.ts';
import { piecesOf } from '../answer/pieces.ts';
import type { Wire } from '../answer/wire.ts';
import { embeddingsDialect } from './embeddings.ts';

const ARGUMENT_PIECE_CHARS = 8;
/** What the model reads around a prompt, unbilled. */
const TEMPLATE_TOKENS = 40;
const FINISHES: Readonly<Record<string, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
};

/** Chat of Cohere's second version, as the provider writes it: each event has its name twice. */
export const cohereWire: Wire = {
  whole,
  frames,
  failure: (status) => cohereFailure(`simulated ${status}`),
  usage: (prompt, completion) => {
    const counts = `{"input_tokens":${prompt},"output_tokens":${completion}}`;
    return `{"billed_units":${counts},"tokens":${counts}}`;
  },
  errorFrame: (error) => frame('message-end', { delta: { finish_reason: 'ERROR', error } }),
};

/** The body of a refusal. */
export function cohereFailure(message: string): string {
  return JSON.stringify({ id: 'f2b1c0de-0000-4000-8000-000000000000', message });
}

function whole(answer: Answer): string {
  const { reasoning, toolCalls, logprobs, usage } = answer;
  const thought = reasoning.join('');
  const said = textsOf(answer).join('');
  const plan = toolCalls.length > 0 && thought !== '';
  return JSON.stringify({
    id: idOf(answer),
    message: {
      role: 'assistant',
      ...(plan ? { tool_plan: thought } : {}),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOf) }),
      content: [
        ...(plan || thought === '' ? [] : [{ type: 'thinking', thinking: thought }]),
        ...(said === '' ? [] : [{ type: 'text', text: said }]),
      ],
    },
    finish_reason: finishOf(answer),
    ...(logprobs === null ? {} : { logprobs: answer.chunks.map(scoreOf) }),
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  });
}

function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const { reasoning, toolCalls, logprobs, usage } = answer;
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  const content = [frame('message-start', { id: idOf(answer), delta: { message } })];
  if (toolCalls.length > 0) {
    for (const tool_plan of reasoning) content.push(frame('tool-plan-delta', { delta: { message: { tool_plan } } }));
  } else content.push(...block(0, 'thinking', reasoning));
  content.push(...block(1, 'text', textsOf(answer), logprobs !== null));
  for (const [index, call] of toolCalls.entries()) content.push(...callFrames(index, call));
  const delta = { finish_reason: finishOf(answer), ...(usage === null ? {} : { usage: usageOf(usage) }) };
  return { content, tail: [frame('message-end', { delta }), 'data: [DONE]\n\n'] };
}

function frame(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** The first delta of a block is joined to its beginning, the last to its end: one frame per piece of the answer. */
function block(index: number, type: 'thinking' | 'text', texts: readonly string[], scored = false): readonly string[] {
  const inContent = (content: object): object => ({ index, delta: { message: { content } } });
  const pieces = texts.map((text) => {
    const score = scored ? { logprobs: scoreOf(text) } : {};
    return frame('content-delta', { ...inContent({ [type]: text }), ...score });
  });
  if (pieces.length === 0) return pieces;
  pieces[0] = frame('content-start', inContent({ type, [type]: '' })) + pieces[0];
  pieces[pieces.length - 1] += frame('content-end', { index });
  return pieces;
}

type Call = Answer['toolCalls'][number];

function callFrames(index: number, call: Call): readonly string[] {
  const within = (tool_calls: object): object => ({ index, delta: { message: { tool_calls } } });
  const begun = { ...callOf(call), function: { name: call.name, arguments: '' } };
  const pieces = piecesOf(call.arguments, ARGUMENT_PIECE_CHARS).map((given) =>
    frame('tool-call-delta', within({ function: { arguments: given } })),
  );
  return [frame('tool-call-start', within(begun)), ...pieces, frame('tool-call-end', { index })];
}

function callOf({ id, name, arguments: given }: Call): object {
  return { id: id.replace('call', name), type: 'function', function: { name, arguments: given } };
}

function scoreOf(text: string): object {
  return { text, token_ids: [1], logprobs: [-0.1] };
}

function idOf({ id }: Answer): string {
  return id.replace('chatcmpl', 'cohere');
}

function textsOf({ refusal, chunks }: Answer): readonly string[] {
  return refusal === null ? chunks : [refusal];
}

function finishOf({ finish, refusal }: Answer): string {
  return refusal === null ? (FINISHES[finish] ?? finish) : 'ERROR_TOXIC';
}

/** Neither reasoning nor what was written to a cache is counted here. */
function usageOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('mark' in usage) return usage;
  const { cached_tokens: cached = 0 } = (usage.prompt_tokens_details ?? {}) as { readonly cached_tokens?: number };
  const output_tokens = usage.completion_tokens;
  return {
    billed_units: { input_tokens: usage.prompt_tokens, output_tokens },
    tokens: { input_tokens: Number(usage.prompt_tokens) + TEMPLATE_TOKENS, output_tokens },
    cached_tokens: cached === 0 ? 0 : cached + TEMPLATE_TOKENS,
  };
}

/** The part of a chat request of Cohere that has another form than in a chat completion. */
interface CohereRequest extends Omit<ChatRequest, 'tool_choice' | 'response_format'> {
  readonly tool_choice?: 'REQUIRED' | 'NONE';
  readonly response_format?: { readonly type?: string; readonly json_schema?: JsonSchema };
  readonly thinking?: { readonly type?: string; readonly token_budget?: number };
  readonly documents?: readonly (string | { readonly data?: { readonly text?: string } })[];
}

/** Converts a chat request of Cohere to one of chat completions. */
export function chatOfCohere(body: unknown): ChatRequest {
  const { tool_choice: choice, response_format: format, thinking, documents = [], ...request } = body as CohereRequest;
  const read = documents.map((each) => (typeof each === 'string' ? each : (each.data?.text ?? '')));
  const lead = read.length === 0 ? [] : [{ role: 'system', content: read.join('\n') }];
  return {
    ...request,
    messages: [...lead, ...(request.messages ?? [])],
    ...(choice === undefined ? {} : { tool_choice: choice === 'NONE' ? 'none' : 'required' }),
    ...(format === undefined ? {} : { response_format: formatOf(format) }),
    ...(thinking === undefined
      ? {}
      : {
          reasoning: {
            enabled: thinking.type !== 'disabled',
            ...(thinking.token_budget === undefined ? {} : { max_tokens: thinking.token_budget }),
          },
        }),
  };
}

function formatOf({ type = 'text', json_schema: schema }: NonNullable<CohereRequest['response_format']>) {
  return schema === undefined ? { type } : { type: 'json_schema', json_schema: { schema } };
}

interface EmbedRequest {
  readonly texts?: readonly string[];
  readonly output_dimension?: number;
  readonly embedding_types?: readonly string[];
}

/** The form of OpenAI that asks for the same vectors. */
function standard(body: unknown): object {
  const { texts = [], output_dimension: dimensions, embedding_types: [type] = [] } = body as EmbedRequest;
  return { ...(body as object), input: texts, dimensions, encoding_format: type };
}

/** `/v2/embed`: the vectors and the count of OpenAI's form, under its own names. */
export const cohereEmbed = {
  read: (body: unknown): ChatRequest => embeddingsDialect.read(standard(body)),
  wire: (body: unknown): Wire => {
    const { whole: standardOf } = embeddingsDialect.wire(standard(body));
    const { texts, embedding_types: [type = 'float'] = [] } = body as EmbedRequest;
    return {
      ...cohereWire,
      whole: (answer) => {
        const { data, usage } = JSON.parse(standardOf(answer)) as {
          readonly data: readonly { readonly embedding: unknown }[];
          readonly usage?: { readonly prompt_tokens?: number };
        };
        const embeddings = { [type]: data.map(({ embedding }) => embedding) };
        const meta = { billed_units: { input_tokens: usage?.prompt_tokens } };
        return JSON.stringify({ id: idOf(answer), embeddings, texts, meta, response_type: 'embeddings_by_type' });
      },
    };
  },
};
