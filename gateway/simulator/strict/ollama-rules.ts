import type { StrictRefusal } from './strict-provider.ts';

type Members = Readonly<Record<string, unknown>>;

/** Options by the type that the server demands of them; it ignores any other option. */
const OPTIONS: Readonly<Record<string, 'integer' | 'float32' | 'array'>> = {
  num_ctx: 'integer',
  num_predict: 'integer',
  num_keep: 'integer',
  seed: 'integer',
  top_k: 'integer',
  temperature: 'float32',
  top_p: 'float32',
  min_p: 'float32',
  repeat_penalty: 'float32',
  frequency_penalty: 'float32',
  presence_penalty: 'float32',
  stop: 'array',
};
const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];
const LEVELS: readonly unknown[] = [true, false, 'low', 'medium', 'high', 'max'];
const CHARS_PER_TOKEN = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Why Ollama's server refuses a request of its chat; null for one that it answers. Unknown members are ignored. */
export function ollamaRefusal(body: Members): StrictRefusal | null {
  const { messages = [], options = {}, think = true, format } = body;
  if (body.model === undefined || body.model === '') return refusal('model is required');
  if (!LEVELS.includes(think))
    return refusal('invalid think value: must be a boolean or one of "high", "medium", "low"');
  if (typeof format === 'string' && format !== '' && format !== 'json')
    return refusal(`invalid format: "${format}"; expected "json" or a valid JSON Schema object`);
  for (const [name, value] of Object.entries(options as Members)) {
    const type = OPTIONS[name];
    if (type !== undefined && !isOfType(value, type)) return refusal(`option "${name}" must be of type ${type}`);
  }
  for (const message of messages as readonly Members[]) {
    const found = refusedMessage(message);
    if (found !== null) return refusal(found);
  }
  return tooLong(messages as readonly Members[], options as Members, body.truncate);
}

function isOfType(value: unknown, type: 'integer' | 'float32' | 'array'): boolean {
  return type === 'array' ? Array.isArray(value) : typeof value === 'number';
}

function refusedMessage({ role, content, images = [], thinking = '', tool_calls = [] }: Members): string | null {
  if (!ROLES.includes(role))
    return `invalid role: ${String(role)}, role must be one of [system, user, assistant, tool]`;
  if (typeof content !== 'string') return unmarshal('content', content, 'string');
  if (typeof thinking !== 'string') return unmarshal('thinking', thinking, 'string');
  for (const image of images as readonly unknown[]) {
    if (typeof image !== 'string' || !BASE64.test(image)) return 'illegal base64 data at input byte 4';
  }
  for (const call of tool_calls as readonly { readonly function?: { readonly arguments?: unknown } }[]) {
    const given = call.function?.arguments;
    if (typeof given !== 'object' || given === null) {
      return unmarshal('tool_calls.function.arguments', given, 'api.ToolCallFunctionArguments');
    }
  }
  return null;
}

function unmarshal(path: string, value: unknown, type: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return `json: cannot unmarshal ${kind} into Go struct field ChatRequest.messages.${path} of type ${type}`;
}

/** A prompt that does not fit is refused only where the request forbids to cut it. */
function tooLong(messages: readonly Members[], { num_ctx = 4_096 }: Members, truncate: unknown): StrictRefusal | null {
  const characters = messages.reduce((sum, { content }) => sum + (content as string).length, 0);
  if (truncate !== false || characters / CHARS_PER_TOKEN <= (num_ctx as number)) return null;
  return refusal('the input length exceeds the context length');
}

function refusal(error: string): StrictRefusal {
  return { status: 400, body: JSON.stringify({ error }) };
}
