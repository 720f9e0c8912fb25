import type { ChatRequest, JsonSchema } from '../answer/chat-request.ts';
import { chatOf } from './messages-request.ts';

type Members = Readonly<Record<string, unknown>>;

/** A Converse request as far as a simulated provider reads it. */
export interface ConverseBody {
  readonly system?: readonly Members[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Members[] }[];
  readonly inferenceConfig?: Members;
  readonly toolConfig?: { readonly tools: readonly Members[]; readonly toolChoice?: Members };
  readonly outputConfig?: {
    readonly textFormat: { readonly structure: { readonly jsonSchema: { readonly schema: string } } };
  };
  readonly additionalModelRequestFields?: Members;
}

/** Converts a Converse request to a chat request; the model and whether it streams are in the path. */
export function chatOfConverse(body: unknown, { model = '', method }: Readonly<Record<string, string>>): ChatRequest {
  const converse = body as ConverseBody;
  const { outputConfig } = converse;
  const schema = outputConfig?.textFormat.structure.jsonSchema.schema;
  const chat = chatOf({
    ...messagesBodyOf(converse),
    model: decodeURIComponent(model),
    stream: method === 'converse-stream',
  });
  if (schema === undefined) return chat;
  return {
    ...chat,
    response_format: { type: 'json_schema', json_schema: { schema: JSON.parse(schema) as JsonSchema } },
  };
}

/** The same request in the messages dialect, whose members have other names in Converse; without the model. */
export function messagesBodyOf({ system, messages, inferenceConfig, toolConfig, ...rest }: ConverseBody): Members {
  const { maxTokens, temperature, topP, stopSequences } = inferenceConfig ?? {};
  const schema = rest.outputConfig?.textFormat.structure.jsonSchema.schema;
  const { output_config: output, ...fields } = rest.additionalModelRequestFields ?? {};
  const format = schema === undefined ? {} : { format: { type: 'json_schema', schema: JSON.parse(schema) as unknown } };
  const config = { ...(output as object | undefined), ...format };
  return {
    ...fields,
    ...defined({ max_tokens: maxTokens, temperature, top_p: topP, stop_sequences: stopSequences }),
    ...(system === undefined ? {} : { system: blocksOf(system) }),
    messages: messages.map(({ role, content }) => ({ role, content: blocksOf(content) })),
    ...(toolConfig === undefined ? {} : { tools: marked(toolConfig.tools).map(toolOf), ...choiceOf(toolConfig) }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
  };
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

function blocksOf(content: readonly Members[]): readonly Members[] {
  return marked(content).map(({ cache_control, ...block }) => ({ ...blockOf(block), ...defined({ cache_control }) }));
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
    readonly reasoningText?: Members;
    readonly redactedContent?: string;
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
