/** The part of a chat completion request that a simulated provider reads. All other members are ignored. */
export interface ChatRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly function?: { readonly name?: string } };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly response_format?: { readonly type?: string; readonly json_schema?: { readonly schema?: JsonSchema } };
  readonly logprobs?: boolean;
  readonly top_logprobs?: number;
  readonly reasoning_effort?: string;
  readonly reasoning?: { readonly effort?: string; readonly max_tokens?: number; readonly enabled?: boolean };
  readonly enable_thinking?: boolean;
  readonly modalities?: readonly string[];
  readonly image_config?: ImageConfig;
  readonly audio?: { readonly voice?: string; readonly format?: string };
}

export interface ImageConfig {
  readonly n?: number;
  readonly size?: string;
  readonly resolution?: string;
  readonly aspect_ratio?: string;
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly ChatPart[];
}

export interface ChatPart {
  readonly type?: string;
  readonly text?: string;
  readonly image_url?: { readonly url?: string };
  readonly video_url?: { readonly url?: string };
  readonly audio_url?: { readonly url?: string };
  readonly input_audio?: { readonly data?: string; readonly format?: string };
  readonly file?: { readonly file_data?: string };
}

export interface ChatTool {
  readonly function?: { readonly name?: string; readonly parameters?: JsonSchema };
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly minimum?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** All text of one message, from a string or from parts. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
