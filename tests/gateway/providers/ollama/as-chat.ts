import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';

type Members = Readonly<Record<string, unknown>>;
type Assistant = Extract<Turn['messages'][number], { role: 'assistant' }>;

interface OllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly images?: readonly string[];
  readonly thinking?: string;
  readonly tool_name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: object } }[];
}

/** The turn that a body of `/api/chat` asks for: its members are those of chat completions in other places. */
export function readOllama(body: Members, asked: Turn): Turn {
  const { messages, options, format, think, tools, stream } = body as Members & {
    readonly messages: readonly OllamaMessage[];
    readonly options: Members;
  };
  const { num_ctx: _window, num_predict, ...sampling } = options;
  const turn = parse({
    ...sampling,
    model: 'author/model',
    max_tokens: num_predict,
    stream,
    messages: joined(messages).map(messageOf),
    ...(tools === undefined ? {} : { tools }),
    ...(format === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: format } } }),
    ...(typeof think === 'string' ? { reasoning_effort: think } : {}),
  });
  return {
    ...turn,
    messages: withEntries(turn.messages, asked.messages),
    ...(typeof think === 'boolean' ? { reasoning: { enabled: think } } : {}),
  };
}

/** The messages that carry one result are that result. */
function joined(messages: readonly OllamaMessage[]): readonly (OllamaMessage & { readonly more?: OllamaMessage[] })[] {
  const whole: (OllamaMessage & { more: OllamaMessage[] })[] = [];
  for (const message of messages) {
    const last = whole.at(-1);
    if (message.role === 'tool' && last?.tool_call_id === message.tool_call_id) last?.more.push(message);
    else whole.push({ ...message, more: [] });
  }
  return whole;
}

function messageOf(message: ReturnType<typeof joined>[number]): Members {
  const { role, thinking, tool_call_id, tool_calls, more = [] } = message;
  const parts = [message, ...more].flatMap(partsOf);
  return {
    role,
    content: role === 'assistant' ? message.content : parts,
    ...(thinking === undefined ? {} : { reasoning: thinking }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(tool_calls === undefined
      ? {}
      : {
          tool_calls: tool_calls.map(({ id, function: { name, arguments: given } }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(given) },
          })),
        }),
  };
}

/** Pictures come before the text. Their media type is not sent: the server looks at the bytes. */
function partsOf({ content, images = [] }: OllamaMessage): readonly Members[] {
  const pictures = images.map((data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }));
  return content === '' && pictures.length > 0 ? pictures : [...pictures, { type: 'text', text: content }];
}

/** Entries that hold nothing but their text are the text. */
function withEntries(sent: Turn['messages'], asked: Turn['messages']): Turn['messages'] {
  const answers = asked.filter(({ role }) => role === 'assistant') as readonly Assistant[];
  let at = 0;
  return sent.map((message) => {
    if (message.role !== 'assistant') return message;
    const { reasoningDetails } = answers[at++] as Assistant;
    const areTexts = reasoningDetails?.every(({ text, format, id }) => text && !format && !id);
    if (!areTexts || reasoningDetails?.map(({ text }) => text).join('') !== message.reasoning) return message;
    const { reasoning: _, ...rest } = message;
    return { ...rest, reasoningDetails } as Assistant;
  });
}
