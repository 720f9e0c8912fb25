import type { ChatMessage, ChatPart, ChatRequest, ChatTool, JsonSchema } from '../answer/chat-request.ts';

/** The part of a `generateContent` request that a simulated provider reads. */
interface GeminiRequest {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents?: readonly { readonly role?: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly {
      readonly name?: string;
      readonly parameters?: JsonSchema;
      readonly parametersJsonSchema?: JsonSchema;
    }[];
  }[];
  readonly toolConfig?: {
    readonly functionCallingConfig?: { readonly mode?: string; readonly allowedFunctionNames?: readonly string[] };
  };
  readonly generationConfig?: {
    readonly maxOutputTokens?: number;
    readonly responseMimeType?: string;
    readonly responseJsonSchema?: JsonSchema;
    readonly responseModalities?: readonly string[];
    readonly responseLogprobs?: boolean;
    readonly logprobs?: number;
    readonly imageConfig?: { readonly aspectRatio?: string; readonly imageSize?: string };
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean;
      readonly thinkingBudget?: number;
      readonly thinkingLevel?: string;
    };
  };
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
  readonly functionResponse?: {
    readonly response?: { readonly output?: unknown; readonly error?: unknown };
    readonly parts?: readonly Part[];
  };
}

/** Converts a `generateContent` request to a chat request. Throws if a member that the wire requires is missing. */
export function chatOfGemini(body: unknown, path: Readonly<Record<string, string>>): ChatRequest {
  const { systemInstruction, contents = [], tools, toolConfig, generationConfig = {} } = body as GeminiRequest;
  if (contents.length === 0) throw new Error('contents is not specified');
  const { maxOutputTokens, responseModalities, responseLogprobs, logprobs, imageConfig } = generationConfig;
  const lead = systemInstruction === undefined ? [] : [{ role: 'system', content: partsOf(systemInstruction.parts) }];
  const declared = tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return {
    model: decodeURIComponent(path.model ?? ''),
    stream: path.method === 'streamGenerateContent',
    messages: [...lead, ...contents.flatMap(messagesOf)],
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(declared === undefined ? {} : { tools: declared.map(toolOf) }),
    ...choiceOf(toolConfig?.functionCallingConfig ?? {}),
    ...formatOf(generationConfig),
    ...(responseModalities === undefined ? {} : { modalities: responseModalities.map((each) => each.toLowerCase()) }),
    ...(responseLogprobs ? { logprobs: true, top_logprobs: logprobs ?? 0 } : {}),
    ...(imageConfig === undefined ? {} : { image_config: pictureOf(imageConfig) }),
    ...thoughtOf(generationConfig.thinkingConfig),
  };
}

function messagesOf({
  role,
  parts,
}: {
  readonly role?: string;
  readonly parts: readonly Part[];
}): readonly ChatMessage[] {
  const isResult = ({ functionResponse }: Part): boolean => functionResponse !== undefined;
  const messages = [
    { role: 'tool', own: parts.filter(isResult) },
    { role: role === 'model' ? 'assistant' : 'user', own: parts.filter((part) => !isResult(part)) },
  ];
  return messages.flatMap((message) =>
    message.own.length === 0 ? [] : [{ role: message.role, content: partsOf(message.own) }],
  );
}

function partsOf(parts: readonly Part[]): readonly ChatPart[] {
  return parts.flatMap(({ text, thought, inlineData, fileData, functionResponse }): readonly ChatPart[] => {
    if (functionResponse) {
      const { output, error } = functionResponse.response ?? {};
      const said = output ?? error;
      const result = typeof said === 'string' ? said : JSON.stringify(said);
      return [{ type: 'text', text: result }, ...partsOf(functionResponse.parts ?? [])];
    }
    if (text !== undefined) return thought ? [] : [{ type: 'text', text }];
    if (inlineData) return [mediumOf(`data:${inlineData.mimeType};base64,${inlineData.data}`, inlineData.mimeType)];
    return fileData ? [mediumOf(fileData.fileUri ?? '', fileData.mimeType)] : [];
  });
}

function mediumOf(url: string, mimeType = ''): ChatPart {
  const [kind] = mimeType.split('/', 1);
  if (kind === 'image') return { type: 'image_url', image_url: { url } };
  if (kind === 'video') return { type: 'video_url', video_url: { url } };
  if (kind === 'audio') return { type: 'audio_url', audio_url: { url } };
  return { type: 'file', file: { file_data: url } };
}

type Declaration = NonNullable<NonNullable<GeminiRequest['tools']>[number]['functionDeclarations']>[number];

function toolOf({ name, parametersJsonSchema, parameters = parametersJsonSchema }: Declaration): ChatTool {
  return {
    function: { ...(name === undefined ? {} : { name }), ...(parameters === undefined ? {} : { parameters }) },
  };
}

function choiceOf({
  mode,
  allowedFunctionNames: names = [],
}: NonNullable<NonNullable<GeminiRequest['toolConfig']>['functionCallingConfig']>): Pick<ChatRequest, 'tool_choice'> {
  const [name] = names;
  if (mode === 'ANY') return { tool_choice: name === undefined ? 'required' : { function: { name } } };
  return mode === 'NONE' ? { tool_choice: 'none' } : {};
}

function formatOf({
  responseMimeType,
  responseJsonSchema: schema,
}: NonNullable<GeminiRequest['generationConfig']>): Pick<ChatRequest, 'response_format'> {
  if (schema !== undefined) return { response_format: { type: 'json_schema', json_schema: { schema } } };
  return responseMimeType === 'application/json' ? { response_format: { type: 'json_object' } } : {};
}

function pictureOf({ aspectRatio, imageSize }: { readonly aspectRatio?: string; readonly imageSize?: string }) {
  return {
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(imageSize === undefined ? {} : { resolution: imageSize }),
  };
}

/** Thoughts are shown only on request; a budget of -1 is the model's own choice. */
function thoughtOf(
  config: NonNullable<GeminiRequest['generationConfig']>['thinkingConfig'],
): Pick<ChatRequest, 'reasoning'> {
  if (config === undefined) return {};
  const { thinkingBudget: budget, thinkingLevel: level } = config;
  return {
    reasoning: {
      enabled: budget !== 0 && config.includeThoughts === true,
      ...(level === undefined ? {} : { effort: level.toLowerCase() }),
      ...(budget === undefined || budget <= 0 ? {} : { max_tokens: budget }),
    },
  };
}
