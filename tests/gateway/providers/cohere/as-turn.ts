import type { ContentPart, MediaPart, ReasoningDetail, Turn, TurnMessage } from '../../../../gateway/terms/turn.ts';

type Members = Readonly<Record<string, unknown>>;
type User = Extract<TurnMessage, { role: 'user' | 'system' | 'developer' }>;

interface CohereBody {
  readonly model: string;
  readonly stream: boolean;
  readonly max_tokens: number;
  readonly messages: readonly (Members & { readonly role: string })[];
  readonly documents?: readonly Members[];
  readonly tools?: readonly { readonly function: NonNullable<Turn['tools']>[number] }[];
  readonly strict_tools?: boolean;
  readonly tool_choice?: 'NONE' | 'REQUIRED';
  readonly response_format?: { readonly json_schema: object };
  readonly thinking?: { readonly type: string; readonly token_budget?: number };
}

/** Beside documents alone a message has a text. */
const FILLER = 'See the documents.';
const NAMES: Readonly<Record<string, string>> = { p: 'top_p', k: 'top_k', stop_sequences: 'stop' };
const SAMPLING = ['temperature', 'p', 'k', 'stop_sequences', 'seed', 'frequency_penalty'];

/**
 * The turn that a chat request of Cohere asks for, without its thinking, which the caller reads. `asked` says what has
 * several forms here: the message of a document, the one required tool of several, the tools that were strict.
 */
export function readCohere(body: Members, asked: Turn): Turn & Pick<CohereBody, 'thinking'> {
  const {
    model,
    stream,
    max_tokens,
    messages,
    documents = [],
    tools,
    thinking,
    ...request
  } = body as unknown as CohereBody;
  const sampling = Object.entries(request as Members).filter(([name]) => SAMPLING.includes(name));
  const open = [...documents];
  const named = typeof asked.toolChoice === 'object' && request.tool_choice === 'REQUIRED';
  return {
    kind: 'conversation',
    models: [model],
    stream,
    completionTokensMax: max_tokens,
    messages: messages.map((message, at) => messageOf(message, asked.messages[at] as TurnMessage, open)),
    sampling: Object.fromEntries(sampling.map(([name, value]) => [NAMES[name] ?? name, value])),
    preferences: { allowFallbacks: true },
    ...(tools === undefined ? {} : { tools: toolsOf(tools, asked, named, request.strict_tools === true) }),
    ...(named ? { toolChoice: asked.toolChoice } : choiceOf(request.tool_choice)),
    ...(request.response_format === undefined
      ? {}
      : { responseFormat: { type: 'json_schema', json_schema: { schema: request.response_format.json_schema } } }),
    ...(thinking === undefined ? {} : { thinking }),
  } as Turn & Pick<CohereBody, 'thinking'>;
}

function choiceOf(choice: CohereBody['tool_choice']): Pick<Turn, 'toolChoice'> {
  if (choice === undefined) return {};
  return { toolChoice: choice === 'NONE' ? 'none' : 'required' };
}

/** Of several tools one that is required alone is a choice of it. */
function toolsOf(
  tools: NonNullable<CohereBody['tools']>,
  asked: Turn,
  named: boolean,
  strict: boolean,
): NonNullable<Turn['tools']> {
  const sent = tools.map(({ function: tool }) => {
    const isStrict = strict && asked.tools?.find(({ name }) => name === tool.name)?.strict === true;
    return isStrict ? { ...tool, strict } : tool;
  });
  return named ? (asked.tools ?? []).map((tool) => sent.find(({ name }) => name === tool.name) ?? tool) : sent;
}

function messageOf(message: Members & { readonly role: string }, asked: TurnMessage, open: Members[]): TurnMessage {
  const { role, content } = message;
  if (role === 'assistant') return assistantOf(message, asked);
  const parts = typeof content === 'string' ? undefined : (content as readonly Members[]).map(partOf);
  const body = parts === undefined ? { text: content as string } : { text: textOf(parts), parts };
  if (role === 'tool') return { role, toolCallId: message.tool_call_id as string, ...body };
  return withDocuments({ role: role as User['role'], ...body }, asked as User, open);
}

/** The documents of the request back at their places. */
function withDocuments(message: User, asked: User, open: Members[]): User {
  if (!asked.parts?.some(({ type }) => type === 'file')) return message;
  const sent = message.text === FILLER ? [] : [...(message.parts ?? [])];
  const parts = asked.parts.map((part) => (part.type === 'file' ? fileOf(open.shift() ?? {}) : sent.shift()));
  return { ...message, text: textOf(parts as ContentPart[]), parts: parts as ContentPart[] };
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function partOf({ type, text, image_url: image, document }: Members): ContentPart {
  if (type === 'text') return { type: 'text', text: text as string };
  if (type === 'document') return fileOf(document as Members);
  const { url, detail } = image as { readonly url: string; readonly detail?: string };
  const [, mediaType, base64] = /^data:([^;]*);base64,(.*)$/.exec(url) ?? [];
  const source: MediaPart['source'] =
    base64 === undefined ? { kind: 'url', url } : { kind: 'data', mediaType: mediaType ?? null, base64 };
  return { type: 'image', source, ...(detail === undefined ? {} : { detail }) };
}

function fileOf({ data }: Members): MediaPart {
  const { text, title, context } = data as {
    readonly text: string;
    readonly title?: string;
    readonly context?: string;
  };
  return {
    type: 'file',
    source: { kind: 'data', mediaType: 'text/plain', base64: Buffer.from(text).toString('base64') },
    ...(title === undefined ? {} : { filename: title }),
    ...(context === undefined ? {} : { context }),
  };
}

function assistantOf({ content = [], tool_plan, tool_calls }: Members, asked: TurnMessage): TurnMessage {
  const parts = typeof content === 'string' ? [{ text: content }] : (content as readonly Members[]);
  const thoughts = parts.flatMap(({ thinking }) => (typeof thinking === 'string' ? [thinking] : []));
  if (typeof tool_plan === 'string') thoughts.push(tool_plan);
  const calls = tool_calls as
    | readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
    | undefined;
  return {
    role: 'assistant',
    text: parts.map(({ text }) => text ?? '').join('') || null,
    ...(calls === undefined ? {} : { toolCalls: calls.map(({ id, function: called }) => ({ id, ...called })) }),
    ...reasoningOf(thoughts, asked),
  };
}

/** Entries where the caller sent entries. */
function reasoningOf(thoughts: readonly string[], asked: TurnMessage) {
  if (thoughts.length === 0) return {};
  if (asked.role !== 'assistant' || asked.reasoningDetails === undefined) return { reasoning: thoughts.join('') };
  return { reasoningDetails: thoughts.map((text): ReasoningDetail => ({ type: 'reasoning.text', text })) };
}
