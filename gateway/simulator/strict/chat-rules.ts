/**
 * Rules of providers that speak chat completions, as functions that find what of a request a provider refuses. They
 * know no wording: each provider words its own refusals.
 */

export interface ChatBody {
  readonly model?: string;
  readonly messages?: readonly ChatTurn[];
  readonly tools?: readonly unknown[];
  readonly [member: string]: unknown;
}

export interface ChatTurn {
  readonly role?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id?: unknown;
    readonly extra_content?: { readonly google?: { readonly thought_signature?: unknown } };
  }[];
  readonly tool_call_id?: unknown;
  readonly [member: string]: unknown;
}

/** The members of a request in OpenAI's form that every provider of the table knows. */
export const STANDARD: readonly string[] = [
  'model',
  'messages',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'frequency_penalty',
  'presence_penalty',
];
/** The members of a message by its role. */
export const MESSAGE: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  developer: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** The first member of the body that is not among these. */
export function unknownMember(body: ChatBody, known: readonly string[]): string | undefined {
  return Object.keys(body).find((name) => !known.includes(name));
}

/** The first member of a message that is not among those of its role; `further` lists more of an assistant's. */
export function unknownInMessages(
  { messages = [] }: ChatBody,
  known: Readonly<Record<string, readonly string[]>>,
  further: readonly string[] = [],
): { readonly at: number; readonly role: string; readonly name: string } | undefined {
  for (const [at, message] of messages.entries()) {
    const role = message.role ?? '';
    const names = [...(known[role] ?? []), ...(role === 'assistant' ? further : [])];
    const name = Object.keys(message).find((each) => !names.includes(each));
    if (name !== undefined) return { at, role, name };
  }
  return undefined;
}

/** The first id of a call or a result that does not match. */
export function strangeCallId({ messages = [] }: ChatBody, pattern: RegExp): string | undefined {
  const ids = messages.flatMap(({ tool_calls = [], tool_call_id }) => [
    ...tool_calls.map(({ id }) => String(id)),
    ...(tool_call_id === undefined ? [] : [String(tool_call_id)]),
  ]);
  return ids.find((id) => !pattern.test(id));
}

/** The first result that answers no call before it. */
export function strayResult({ messages = [] }: ChatBody): string | undefined {
  const called = new Set<unknown>();
  for (const { tool_calls = [], tool_call_id } of messages) {
    for (const { id } of tool_calls) called.add(id);
    if (tool_call_id !== undefined && !called.has(tool_call_id)) return String(tool_call_id);
  }
  return undefined;
}

/** The place of the first answer with calls that lacks a text in this member. */
export function callsWithout({ messages = [] }: ChatBody, member: string): number | undefined {
  const at = messages.findIndex((message) => message.tool_calls !== undefined && !message[member]);
  return at < 0 ? undefined : at;
}

/** The place of the first answer whose first call lacks one of these signatures. */
export function unsignedCall({ messages = [] }: ChatBody, signatures: readonly string[]): number | undefined {
  const at = messages.findIndex(({ tool_calls: [first] = [] }) => {
    if (first === undefined) return false;
    return !signatures.includes(String(first.extra_content?.google?.thought_signature));
  });
  return at < 0 ? undefined : at;
}
