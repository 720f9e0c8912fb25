import type { ChatMessage, ChatPart, ChatRequest, ChatTool, JsonSchema } from '../answer/chat-request.ts';

/** The part of a responses request that a simulated provider reads. */
interface ResponsesRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly instructions?: string;
  readonly input?: string | readonly InputItem[];
  readonly max_output_tokens?: number;
  readonly tools?: readonly { readonly name?: string; readonly parameters?: JsonSchema }[];
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly name?: string };
  readonly reasoning?: { readonly effort?: string };
  readonly text?: { readonly format?: { readonly type?: string; readonly schema?: JsonSchema } };
}

interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: Content;
  readonly output?: Content;
}

type Content = string | readonly InputPart[];

interface InputPart {
  readonly type?: string;
  readonly text?: string;
  readonly image_url?: string;
  readonly file_data?: string;
  readonly file_url?: string;
}

/** Converts a responses request to a chat request. Throws without an input. */
export function chatOfResponses(body: unknown): ChatRequest {
  const { model, stream, instructions, input, tools, tool_choice: choice, ...rest } = body as ResponsesRequest;
  if (input === undefined || input.length === 0) throw new Error('One of input or prompt must be provided');
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const lead = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  const format = rest.text?.format;
  return {
    ...(model === undefined ? {} : { model }),
    ...(stream === undefined ? {} : { stream }),
    ...(rest.max_output_tokens === undefined ? {} : { max_tokens: rest.max_output_tokens }),
    messages: [...lead, ...items.flatMap(messageOf)],
    ...(tools === undefined ? {} : { tools: tools.map((tool): ChatTool => ({ function: tool })) }),
    ...(choice === undefined ? {} : { tool_choice: typeof choice === 'string' ? choice : { function: choice } }),
    ...(rest.reasoning?.effort === undefined ? {} : { reasoning_effort: rest.reasoning.effort }),
    ...(format === undefined ? {} : { response_format: formatOf(format) }),
  };
}

function formatOf({ type, schema }: { readonly type?: string; readonly schema?: JsonSchema }) {
  return {
    ...(type === undefined ? {} : { type }),
    ...(schema === undefined ? {} : { json_schema: { schema } }),
  };
}

/** Reasoning says nothing to a simulated model. */
function messageOf({ type = 'message', role = 'user', content = '', output = '' }: InputItem): readonly ChatMessage[] {
  if (type === 'message') return [{ role, content: contentOf(content) }];
  if (type === 'function_call') return [{ role: 'assistant', content: null }];
  return type === 'function_call_output' ? [{ role: 'tool', content: contentOf(output) }] : [];
}

function contentOf(content: Content): string | readonly ChatPart[] {
  return typeof content === 'string' ? content : content.flatMap(partOf);
}

function partOf({ text, image_url: url, file_data: data, file_url: address }: InputPart): readonly ChatPart[] {
  if (text !== undefined) return [{ type: 'text', text }];
  if (url !== undefined) return [{ type: 'image_url', image_url: { url } }];
  const file = data ?? address;
  return file === undefined ? [] : [{ type: 'file', file: { file_data: file } }];
}
