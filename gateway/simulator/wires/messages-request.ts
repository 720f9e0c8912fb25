import type { ChatMessage, ChatPart, ChatRequest, ChatTool, JsonSchema } from '../answer/chat-request.ts';

/** The part of a messages request that a simulated provider reads. */
interface MessagesRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly messages?: readonly { readonly role: string; readonly content?: string | readonly Block[] }[];
  readonly max_tokens?: number;
  readonly tools?: readonly { readonly name?: string; readonly input_schema?: JsonSchema }[];
  readonly tool_choice?: { readonly type?: string; readonly name?: string };
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort?: string; readonly format?: { readonly schema?: JsonSchema } };
}

interface Block {
  readonly type?: string;
  readonly text?: string;
  /** Of a result of a search its address. */
  readonly source?: Source | string;
  readonly content?: string | readonly Block[];
}

interface Source {
  readonly type?: string;
  readonly media_type?: string;
  readonly data?: string;
  readonly url?: string;
  readonly content?: string | readonly Block[];
}

/** Converts a messages request to a chat request. Throws if a member that the dialect requires is missing. */
export function chatOf(body: unknown): ChatRequest {
  const {
    model,
    stream,
    system,
    messages = [],
    max_tokens,
    tools,
    tool_choice,
    thinking,
    output_config,
  } = body as MessagesRequest;
  if (!Number.isInteger(max_tokens)) throw new Error('max_tokens: Field required');
  const lead: readonly ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: contentOf(system) }];
  return {
    ...(model === undefined ? {} : { model }),
    ...(stream === undefined ? {} : { stream }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    messages: [...lead, ...messages.flatMap(messagesOf)],
    ...(tools === undefined ? {} : { tools: tools.map(toolOf) }),
    ...choiceOf(tool_choice),
    ...formatOf(output_config),
    ...(thinking === undefined ? {} : { reasoning: thoughtOf(thinking, output_config?.effort) }),
  };
}

function formatOf({ format }: MessagesRequest['output_config'] = {}): Pick<ChatRequest, 'response_format'> {
  if (format?.schema === undefined) return {};
  return { response_format: { type: 'json_schema', json_schema: { schema: format.schema } } };
}

/** The results of tools in a user's turn become a message of role `tool`, before the rest of the turn. */
function messagesOf({
  role,
  content = '',
}: {
  readonly role: string;
  readonly content?: string | readonly Block[];
}): readonly ChatMessage[] {
  if (typeof content === 'string') return [{ role, content }];
  const isResult = ({ type }: Block): boolean => type === 'tool_result';
  const parts = [
    { role: 'tool', blocks: content.filter(isResult) },
    { role, blocks: content.filter((block) => !isResult(block)) },
  ];
  return parts.flatMap((part) =>
    part.blocks.length === 0 ? [] : [{ role: part.role, content: contentOf(part.blocks) }],
  );
}

function contentOf(content: string | readonly Block[]): string | readonly ChatPart[] {
  return typeof content === 'string' ? content : content.flatMap(partOf);
}

function partOf({ type, text, source, content }: Block): readonly ChatPart[] {
  if (type === 'text') return [{ type: 'text', text: text ?? '' }];
  if (type === 'tool_result' || type === 'search_result') return heldParts(content);
  if (source === undefined || typeof source === 'string') return [];
  if (source.type === 'content') return heldParts(source.content);
  const url = source.type === 'base64' ? `data:${source.media_type};base64,${source.data}` : source.url;
  if (url === undefined) return [];
  if (type === 'image') return [{ type: 'image_url', image_url: { url } }];
  return type === 'document' ? [{ type: 'file', file: { file_data: url } }] : [];
}

/** The parts of the blocks that a block holds. */
function heldParts(content: string | readonly Block[] = ''): readonly ChatPart[] {
  return [contentOf(content)].flat().map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each));
}

function toolOf({ name, input_schema }: { readonly name?: string; readonly input_schema?: JsonSchema }): ChatTool {
  return {
    function: {
      ...(name === undefined ? {} : { name }),
      ...(input_schema === undefined ? {} : { parameters: input_schema }),
    },
  };
}

function choiceOf(choice: MessagesRequest['tool_choice']): Pick<ChatRequest, 'tool_choice'> {
  switch (choice?.type) {
    case 'tool':
      return { tool_choice: { function: choice.name === undefined ? {} : { name: choice.name } } };
    case 'any':
      return { tool_choice: 'required' };
    case 'none':
      return { tool_choice: 'none' };
    default:
      return {};
  }
}

function thoughtOf(
  { type, budget_tokens }: NonNullable<MessagesRequest['thinking']>,
  effort: string | undefined,
): NonNullable<ChatRequest['reasoning']> {
  return {
    enabled: type !== 'disabled',
    ...(effort === undefined ? {} : { effort }),
    ...(budget_tokens === undefined ? {} : { max_tokens: budget_tokens }),
  };
}
