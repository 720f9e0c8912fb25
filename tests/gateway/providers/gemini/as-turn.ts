import type { Effort } from '../../../../actors/terms/endpoint.ts';
import { UNSIGNED } from '../../../../gateway/providers/chat/earlier-reasoning.ts';
import { EFFORT_SHARES } from '../../../../gateway/providers/messages/thinking.ts';
import type {
  ContentPart,
  MediaPart,
  ReasoningDetail,
  Tool,
  ToolCall,
  Turn,
  TurnMessage,
} from '../../../../gateway/terms/turn.ts';
import { turnOf } from '../scene.ts';

/** The body of a `generateContent` request as the turn that it asks for. */

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string; readonly displayName?: string };
  readonly fileData?: { readonly fileUri: string; readonly mimeType?: string; readonly displayName?: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output?: Output; readonly error?: Output };
    readonly parts?: readonly Part[];
  };
}
type Output = string | readonly (string | { readonly $ref: string })[];

interface Body {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }[];
  readonly generationConfig?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly [{ readonly functionDeclarations: readonly (Tool & { parametersJsonSchema?: unknown })[] }];
  readonly toolConfig?: {
    readonly functionCallingConfig: { readonly mode: string; readonly allowedFunctionNames?: readonly string[] };
  };
}

const SETTINGS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  seed: 'seed',
  stopSequences: 'stop',
  frequencyPenalty: 'frequency_penalty',
};

/** `asked` decides what one body may say in two ways. */
export function readGemini(given: Readonly<Record<string, unknown>>, asked: Turn, ceiling: number): Turn {
  const body = given as unknown as Body;
  const { maxOutputTokens, responseJsonSchema, thinkingConfig, ...config } = body.generationConfig ?? {};
  const system = (body.systemInstruction?.parts ?? []).map(({ text = '' }): TurnMessage => ({ role: 'system', text }));
  const settings = Object.entries(config).flatMap(([name, value]) =>
    name in SETTINGS ? [[SETTINGS[name], value]] : [],
  );
  return turnOf({
    messages: inAskedOrder([...system, ...body.contents.flatMap(messagesOf)], asked),
    stream: asked.stream,
    sampling: Object.fromEntries(settings) as Turn['sampling'],
    completionTokensMax: maxOutputTokens as number,
    ...(responseJsonSchema === undefined
      ? {}
      : { responseFormat: { type: 'json_schema', json_schema: { schema: responseJsonSchema } } }),
    ...reasoningOf(thinkingConfig as Thinking | undefined, ceiling),
    ...toolsOf(body, asked),
  });
}

interface Thinking {
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

function reasoningOf(config: Thinking | undefined, ceiling: number): Pick<Turn, 'reasoning'> {
  if (config === undefined) return {};
  const { thinkingBudget: budget = -1, thinkingLevel: level } = config;
  if (level !== undefined) return { reasoning: { effort: level.toLowerCase() as Effort } };
  if (budget === -1) return { reasoning: { enabled: true } };
  if (budget === 0) return { reasoning: { effort: 'none' } };
  const share = Object.entries(EFFORT_SHARES).findLast(([, part]) => Math.floor(part * ceiling) === budget);
  return { reasoning: share === undefined ? { tokensMax: budget } : { effort: share[0] as Effort } };
}

/** Every mode but `AUTO` holds calls to their schemas. */
function toolsOf({ tools, toolConfig }: Body, asked: Turn): Partial<Turn> {
  if (tools === undefined) return {};
  const { mode = 'AUTO', allowedFunctionNames: [name] = [] } = toolConfig?.functionCallingConfig ?? {};
  const declared = tools[0].functionDeclarations.map(({ parametersJsonSchema: parameters, ...tool }): Tool => {
    const strict = mode === 'AUTO' ? undefined : asked.tools?.find((each) => each.name === tool.name)?.strict;
    return { ...tool, parameters, ...(strict === undefined ? {} : { strict }) };
  });
  const choices: Readonly<Record<string, Turn['toolChoice']>> = {
    NONE: 'none',
    ANY: name === undefined ? 'required' : { name },
  };
  return { tools: declared, toolChoice: choices[mode] ?? 'auto' };
}

function messagesOf({ role, parts }: Body['contents'][number]): TurnMessage[] {
  if (role === 'model') return [assistantOf(parts)];
  const messages: TurnMessage[] = [];
  for (const [at, part] of parts.entries()) {
    const { functionResponse } = part;
    if (functionResponse !== undefined) messages.push(resultOf(functionResponse, parts.slice(at + 1)));
    else if (!NAMED.test(part.text ?? '') && !NAMED.test(parts[at - 1]?.text ?? ''))
      messages.push({ role: 'user', text: part.text ?? '', parts: [contentOf(part)] });
  }
  return messages;
}

function contentOf(part: Part): ContentPart {
  return part.text === undefined ? mediumOf(part) : { type: 'text', text: part.text };
}

function mediumOf({ inlineData, fileData }: Part): MediaPart {
  const type = (inlineData ?? fileData)?.mimeType?.startsWith('image/') ? 'image' : 'file';
  if (fileData !== undefined) return { type, source: { kind: 'url', url: fileData.fileUri } };
  const { mimeType = '', data = '' } = inlineData ?? {};
  return { type, source: { kind: 'data', mediaType: mimeType, base64: data } };
}

/** Older models get the media of a result behind it, each after its name. */
const NAMED = /^medium_\d+:$/;

function resultOf(
  { id, name, response, parts = [] }: NonNullable<Part['functionResponse']>,
  behind: readonly Part[],
): TurnMessage {
  const { output, error } = response;
  const said = output ?? error ?? '';
  const media = new Map(parts.map((part) => [(part.inlineData ?? part.fileData)?.displayName, mediumOf(part)]));
  for (const [at, { text = '', functionResponse }] of behind.entries()) {
    if (functionResponse !== undefined) break;
    if (NAMED.test(text)) media.set(text.slice(0, -1), mediumOf(behind[at + 1] as Part));
  }
  const pieces = (typeof said === 'string' ? [said] : said).map((piece): ContentPart => {
    return typeof piece === 'string' ? { type: 'text', text: piece } : (media.get(piece.$ref) as MediaPart);
  });
  return {
    role: 'tool',
    toolCallId: id,
    toolName: name,
    text: typeof said === 'string' ? said : '',
    parts: pieces,
    ...(error === undefined ? {} : { isError: true }),
  };
}

function assistantOf(parts: readonly Part[]): TurnMessage {
  const toolCalls: ToolCall[] = [];
  const reasoningDetails: ReasoningDetail[] = [];
  let text = '';
  const format = 'google-gemini-v1';
  for (const part of parts) {
    const { thought, thoughtSignature: data, functionCall: call } = part;
    if (thought) reasoningDetails.push({ type: 'reasoning.text', text: part.text ?? '', format });
    else text += part.text ?? '';
    if (call) toolCalls.push({ id: call.id, name: call.name, arguments: JSON.stringify(call.args) });
    if (data === undefined || data === UNSIGNED) continue;
    reasoningDetails.push({ type: 'reasoning.encrypted', data, format, ...(call ? { id: call.id } : {}) });
  }
  return { role: 'assistant', text, toolCalls, reasoningDetails };
}

/** A signature has the place of its part: where an entry stands among the others of its message says nothing. */
function inAskedOrder(sent: readonly TurnMessage[], asked: Turn): readonly TurnMessage[] {
  const pool = entriesOf(asked.messages).map(keyOf);
  return sent.map((message) => {
    if (message.role !== 'assistant') return message;
    const left = [...(message.reasoningDetails ?? [])];
    const known: ReasoningDetail[] = [];
    for (let at = 0; at < pool.length && left.length > 0; ) {
      const found = left.findIndex((each) => keyOf(each) === pool[at]);
      if (found < 0) at++;
      else {
        pool.splice(at, 1);
        known.push(...left.splice(found, 1));
      }
    }
    return { ...message, reasoningDetails: [...known, ...left] };
  });
}

function entriesOf(messages: readonly TurnMessage[]): ReasoningDetail[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? (message.reasoningDetails ?? []) : []));
}

function keyOf({ type, text, data, format, id }: ReasoningDetail): string {
  return JSON.stringify([type, text ?? null, data ?? null, format, id ?? null]);
}
