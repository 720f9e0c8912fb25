import { cohereFailure } from '../wires/cohere-wire.ts';
import { type ChatBody, MESSAGE, strayResult, unknownInMessages, unknownMember } from './chat-rules.ts';
import type { StrictRefusal } from './strict-provider.ts';

type Members = Readonly<Record<string, unknown>>;

const ROOT: readonly string[] = [
  'model',
  'messages',
  'stream',
  'tools',
  'strict_tools',
  'tool_choice',
  'documents',
  'citation_options',
  'response_format',
  'safety_mode',
  'max_tokens',
  'stop_sequences',
  'temperature',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'k',
  'p',
  'logprobs',
  'thinking',
  'priority',
];
/** The parts of a message's content by its role. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  user: ['text', 'image_url'],
  assistant: ['text', 'thinking'],
  tool: ['text', 'document'],
};
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  temperature: [0, 1],
  p: [0.01, 0.99],
  k: [0, 500],
  frequency_penalty: [0, 1],
  presence_penalty: [0, 1],
};

/** How Cohere refuses a chat request; null for one that it answers. Members that it does not know are 422. */
export function refusedByCohere(body: Members): StrictRefusal | null {
  if ('texts' in body) return refusedEmbedding(body);
  if ('query' in body) return refusedRanking(body);
  const chat = body as ChatBody;
  const found = unknownInMessages(chat, MESSAGE, ['tool_plan', 'citations']);
  const unknown = unknownMember(chat, ROOT) ?? (found && `messages[${found.at}].${found.name}`);
  if (unknown !== undefined) return refusal(422, `unknown field: parameter '${unknown}' is not a valid field`);
  const words = wordsOf(chat);
  return words === null ? null : refusal(400, `invalid request: ${words}`);
}

const RANK: readonly string[] = ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'];

function refusedRanking(body: Members): StrictRefusal | null {
  const unknown = unknownMember(body as ChatBody, RANK);
  if (unknown !== undefined) return refusal(422, `unknown field: parameter '${unknown}' is not a valid field`);
  const documents = body.documents as readonly unknown[];
  const areTexts = documents.every((document) => typeof document === 'string');
  return areTexts ? null : refusal(400, 'invalid request: documents must be an array of strings');
}

const EMBED: readonly string[] = [
  'model',
  'texts',
  'images',
  'inputs',
  'input_type',
  'max_tokens',
  'output_dimension',
  'embedding_types',
  'truncate',
  'priority',
];
const USES = ['search_document', 'search_query', 'classification', 'clustering', 'image'];
const TEXTS_MAX = 96;

function refusedEmbedding(body: Members): StrictRefusal | null {
  const unknown = unknownMember(body as ChatBody, EMBED);
  if (unknown !== undefined) return refusal(422, `unknown field: parameter '${unknown}' is not a valid field`);
  const texts = body.texts as readonly string[];
  if (texts.length === 0 || texts.length > TEXTS_MAX) {
    return refusal(
      400,
      `invalid request: total number of texts must be at most ${TEXTS_MAX} - received ${texts.length}`,
    );
  }
  if (!USES.includes(String(body.input_type)))
    return refusal(400, 'invalid request: valid input_type must be provided');
  return body.embedding_types === undefined
    ? refusal(400, 'invalid request: embedding_types parameter is required')
    : null;
}

function refusal(status: number, message: string): StrictRefusal {
  return { status, body: cohereFailure(message) };
}

function wordsOf(body: ChatBody): string | null {
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    const value = body[name];
    if (typeof value === 'number' && (value < min || value > max)) {
      return `${name} must be between ${min} and ${max} inclusive.`;
    }
  }
  return toolWords(body) ?? settingWords(body) ?? contentWords(body);
}

function toolWords(body: ChatBody): string | null {
  const { tools, tool_choice: choice } = body;
  if (tools?.length === 0) return 'list of tools must not be empty.';
  if (choice !== undefined && choice !== 'REQUIRED' && choice !== 'NONE') return `invalid tool_choice ${choice}.`;
  const called = (tools ?? []).map((tool) => ((tool as Members).function ?? {}) as Members);
  if (called.some(({ parameters }) => typeof parameters !== 'object')) return 'parameters of a tool are required.';
  if (called.some((tool) => 'strict' in tool)) return 'strict is no member of a tool.';
  const stray = strayResult(body);
  return stray === undefined ? null : `tool call id ${stray} not found in previous tool calls.`;
}

function settingWords({ thinking, response_format: format }: ChatBody): string | null {
  const { type, token_budget: budget } = (thinking ?? { type: 'disabled' }) as Members;
  if (type !== 'enabled' && type !== 'disabled') return 'thinking.type must be enabled or disabled.';
  if (budget !== undefined && (budget as number) < 1) return 'token_budget must be a positive integer.';
  const formatType = (format as Members | undefined)?.type ?? 'text';
  return formatType === 'text' || formatType === 'json_object' ? null : `invalid response_format type ${formatType}.`;
}

function contentWords({ messages = [] }: ChatBody): string | null {
  for (const [at, { role = '', content: given = [], tool_calls: calls }] of messages.entries()) {
    const content = given as string | readonly Members[];
    if (content.length === 0 && calls === undefined) return 'all elements in history must have a message.';
    if (typeof content === 'string') continue;
    const strange = content.find(({ type }) => !PARTS[role]?.includes(String(type)));
    if (strange !== undefined) return `messages[${at}]: content of type ${strange.type} is not supported.`;
  }
  return messages.at(-1)?.role === 'assistant' ? 'the last message must be from a user or a tool.' : null;
}
