/** The part of a chat completion request that a simulated provider reads. Everything else is accepted unseen. */
export interface ChatRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly function?: { readonly name?: string } };
  readonly response_format?: { readonly type?: string; readonly json_schema?: { readonly schema?: unknown } };
  readonly reasoning_effort?: string;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type?: string; readonly text?: string }[];
}

export interface ChatTool {
  readonly function?: {
    readonly name?: string;
    readonly parameters?: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
  };
}

/** All text of one message, whether it came as a string or as parts. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
