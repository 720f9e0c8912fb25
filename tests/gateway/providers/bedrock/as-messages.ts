import { parse } from '../../../../gateway/dialects/messages/parse.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';

type Members = Readonly<Record<string, unknown>>;

interface ConverseBody {
  readonly system?: readonly Members[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Members[] }[];
  readonly inferenceConfig: Members;
  readonly toolConfig?: { readonly tools: readonly Members[]; readonly toolChoice?: Members };
  readonly outputConfig?: {
    readonly textFormat: { readonly structure: { readonly jsonSchema: { readonly schema: string } } };
  };
  readonly additionalModelRequestFields?: Members;
}

/** The turn that a Converse body asks for: its members are those of the messages dialect under other names. */
export function readConverse(body: Members, asked: Turn): Turn {
  const {
    system,
    messages,
    inferenceConfig,
    toolConfig,
    outputConfig,
    additionalModelRequestFields: fields,
  } = body as unknown as ConverseBody;
  const { maxTokens, temperature, topP, stopSequences } = inferenceConfig;
  const { thinking, output_config: output, top_k, ...sampling } = fields ?? {};
  const schema = outputConfig?.textFormat.structure.jsonSchema.schema;
  const turn = parse({
    model: 'author/model',
    max_tokens: maxTokens,
    stream: asked.stream,
    ...(system === undefined ? {} : { system: system.map(({ text }) => text).join('\n\n') }),
    messages: messages.map(({ role, content }) => ({ role, content: blocksOf(content) })),
    ...defined({ temperature, top_p: topP, top_k, stop_sequences: stopSequences }),
    ...(toolConfig === undefined ? {} : { tools: marked(toolConfig.tools).map(toolOf), ...choiceOf(toolConfig) }),
    ...(schema === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: JSON.parse(schema) as unknown } } }),
  });
  return {
    ...turn,
    sampling: { ...turn.sampling, ...sampling },
    messages: named(turn.messages, asked.messages),
    ...({ thinking, output_config: output } as object),
  } as Turn;
}

function defined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The blocks with the cache points that follow them as their marks. */
function marked(blocks: readonly Members[]): readonly Members[] {
  const marks: Members[] = [];
  for (const block of blocks) {
    const { ttl = '5m' } = (block.cachePoint ?? {}) as { readonly ttl?: string };
    if (block.cachePoint === undefined) marks.push(block);
    else marks.push({ ...marks.pop(), cache_control: { type: 'ephemeral', ttl } });
  }
  return marks;
}

/** Beside a document alone the service demands a text. */
const FILLER = 'See the document.';

function blocksOf(content: readonly Members[]): readonly Members[] {
  return marked(content.filter(({ text }) => text !== FILLER)).map(({ cache_control, ...block }) => ({
    ...blockOf(block),
    ...defined({ cache_control }),
  }));
}

function blockOf(block: Members): Members {
  if (block.text !== undefined) return { type: 'text', text: block.text };
  if (block.image !== undefined) return { type: 'image', source: sourceOf('image', block.image as Members) };
  if (block.document !== undefined) {
    const document = block.document as Members;
    return { type: 'document', source: sourceOf('application', document), ...defined({ context: document.context }) };
  }
  if (block.toolUse !== undefined) {
    const { toolUseId, name, input } = block.toolUse as Members;
    return { type: 'tool_use', id: toolUseId, name, input };
  }
  if (block.toolResult !== undefined) {
    const { toolUseId, content, status } = block.toolResult as Members;
    const blocks = blocksOf(content as readonly Members[]);
    return { type: 'tool_result', tool_use_id: toolUseId, content: blocks, is_error: status === 'error' };
  }
  const { reasoningText, redactedContent } = block.reasoningContent as {
    reasoningText?: Members;
    redactedContent?: string;
  };
  if (redactedContent !== undefined) return { type: 'redacted_thinking', data: redactedContent };
  return { type: 'thinking', thinking: reasoningText?.text, signature: reasoningText?.signature };
}

function sourceOf(kind: string, { format, source }: Members): Members {
  const { bytes } = source as { readonly bytes: string };
  if (format === 'txt')
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(bytes, 'base64').toString() };
  return { type: 'base64', media_type: `${kind}/${String(format)}`, data: bytes };
}

function toolOf({ toolSpec, cache_control }: Members): Members {
  const { name, description, inputSchema, strict } = toolSpec as Members;
  return defined({ name, description, input_schema: (inputSchema as Members).json, strict, cache_control });
}

function choiceOf({ toolChoice }: NonNullable<ConverseBody['toolConfig']>): Members {
  if (toolChoice === undefined) return {};
  if (toolChoice.any !== undefined) return { tool_choice: { type: 'any' } };
  const { name } = (toolChoice.tool ?? {}) as { readonly name?: string };
  return { tool_choice: name === undefined ? { type: 'auto' } : { type: 'tool', name } };
}

/** Documents carry a name in other characters: the same documents, in their order, have the names that were asked. */
function named(sent: Turn['messages'], asked: Turn['messages']): Turn['messages'] {
  const names = asked.flatMap((message) => filesOf(message).map(({ filename }) => filename));
  return sent.map((message) =>
    'parts' in message && message.parts !== undefined
      ? {
          ...message,
          parts: message.parts.map((part) =>
            part.type === 'file' ? { ...part, ...defined({ filename: names.shift() }) } : part,
          ),
        }
      : message,
  ) as Turn['messages'];
}

function filesOf(message: Turn['messages'][number]): readonly { readonly filename?: string }[] {
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  return parts.flatMap((part) => (part.type === 'file' ? [part] : []));
}
