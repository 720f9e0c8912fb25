import type { Answer } from '../answer/answer.ts';
import type { ChatMessage, ChatPart, ChatRequest, ChatTool, JsonSchema } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { embeddingsDialect } from './embeddings.ts';

/** `/api/chat`, as Ollama answers it: a line per piece, and a last one with the counts. */
export const ollamaWire: Wire = {
  stream: { type: 'application/x-ndjson' },
  whole: (answer) =>
    done(answer, {
      role: 'assistant',
      content: said(answer).join(''),
      ...(answer.reasoning.length === 0 ? {} : { thinking: answer.reasoning.join('') }),
      ...(answer.toolCalls.length === 0 ? {} : { tool_calls: answer.toolCalls.map(callOf) }),
    }),
  frames: (answer) => {
    const line = (message: object): string =>
      `${JSON.stringify({ ...head(answer), message: { role: 'assistant', content: '', ...message }, done: false })}\n`;
    const content = [
      ...answer.reasoning.map((thinking) => line({ thinking })),
      ...said(answer).map((text) => line({ content: text })),
      ...answer.toolCalls.map((call, at) => line({ tool_calls: [callOf(call, at)] })),
    ];
    return { content, tail: [`${done(answer, { role: 'assistant', content: '' })}\n`] };
  },
  failure: (status) => JSON.stringify({ error: `simulated ${status}` }),
  usage: (prompt, completion) => `,"prompt_eval_count":${prompt},"eval_count":${completion}`,
  errorFrame: (message) => `${JSON.stringify({ error: message })}\n`,
};

/** `/api/embed`: the vectors and the count of the other form, under its own names. */
export const ollamaEmbed = {
  read: embeddingsDialect.read,
  wire: (body: unknown): Wire => {
    const { whole } = embeddingsDialect.wire(body);
    return {
      ...ollamaWire,
      whole: (answer) => {
        const { data, usage } = JSON.parse(whole(answer)) as {
          readonly data: readonly { readonly embedding: unknown }[];
          readonly usage?: { readonly prompt_tokens?: number };
        };
        const embeddings = data.map(({ embedding }) => embedding);
        return JSON.stringify({ model: answer.model, embeddings, prompt_eval_count: usage?.prompt_tokens });
      },
    };
  },
};

function head({ model, created }: Answer): object {
  return { model, created_at: new Date(created * 1_000).toISOString() };
}

/** The counts are members of the answer itself, so a marked usage is put where they would be. */
function done(answer: Answer, message: object): string {
  const { usage, finish } = answer;
  const reason = finish === 'length' ? 'length' : 'stop';
  const text = JSON.stringify({ ...head(answer), message, done: true, done_reason: reason, total_duration: 1_000 });
  return `${text.slice(0, -1)}${usageText(usage)}}`;
}

function usageText(usage: Answer['usage']): string {
  if (usage === null) return '';
  if ('mark' in usage) return JSON.stringify(usage);
  return `,"prompt_eval_count":${usage.prompt_tokens},"eval_count":${usage.completion_tokens}`;
}

function said({ refusal, chunks }: Answer): readonly string[] {
  return refusal === null ? chunks : [refusal];
}

function callOf({ id, name, arguments: given }: Answer['toolCalls'][number], index: number): object {
  return { id, function: { index, name, arguments: parsed(given) } };
}

/** Arguments that are broken on purpose cannot appear as an object, so they become `{}`. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** The part of a request that a simulated provider reads. */
interface OllamaRequest {
  readonly model?: string;
  /** Absent: streamed. */
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string; readonly content?: string; readonly images?: string[] }[];
  readonly tools?: readonly ChatTool[];
  readonly format?: 'json' | JsonSchema;
  readonly think?: boolean | string;
  readonly logprobs?: boolean;
  readonly top_logprobs?: number;
  readonly options?: { readonly num_predict?: number };
}

/** Converts a request of `/api/chat` to a chat request. */
export function chatOfOllama(body: unknown): ChatRequest {
  const { messages = [], stream = true, options, format, think, ...rest } = body as OllamaRequest;
  const { num_predict: ceiling } = options ?? {};
  return {
    ...rest,
    stream,
    messages: messages.map(messageOf),
    ...(ceiling === undefined ? {} : { max_tokens: ceiling }),
    ...(format === undefined ? {} : { response_format: formatOf(format) }),
    ...(think === undefined ? {} : { reasoning: thoughtOf(think) }),
  };
}

function messageOf({ role, content = '', images = [] }: NonNullable<OllamaRequest['messages']>[number]): ChatMessage {
  const pictures = images.map(
    (data): ChatPart => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
  );
  return { role, content: pictures.length === 0 ? content : [...pictures, { type: 'text', text: content }] };
}

function formatOf(format: 'json' | JsonSchema): NonNullable<ChatRequest['response_format']> {
  if (format === 'json') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { schema: format } };
}

function thoughtOf(think: boolean | string): NonNullable<ChatRequest['reasoning']> {
  return typeof think === 'string' ? { effort: think } : { enabled: think };
}
