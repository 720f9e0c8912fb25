import { responsesFailure, SEALED } from '../wires/responses-wire.ts';
import type { StrictRefusal } from './strict-provider.ts';

/**
 * The published rules of the responses dialect, as its own provider enforces them: the wording and the code of each
 * refusal are the provider's.
 */

type Members = Readonly<Record<string, unknown>>;

const ROOT: readonly string[] = [
  'model',
  'input',
  'instructions',
  'include',
  'stream',
  'store',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'metadata',
  'service_tier',
  'stream_options',
  'truncation',
];
const ITEMS: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'id', 'role', 'content', 'status', 'phase'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments', 'status', 'namespace'],
  function_call_output: ['type', 'id', 'call_id', 'output', 'status'],
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'],
};
const PARTS: Readonly<Record<string, readonly string[]>> = {
  input_text: ['type', 'text'],
  input_image: ['type', 'image_url', 'file_id', 'detail'],
  input_file: ['type', 'filename', 'file_data', 'file_url', 'file_id'],
  output_text: ['type', 'text', 'annotations', 'logprobs'],
  refusal: ['type', 'refusal'],
};
const INPUT = ['input_text', 'input_image', 'input_file'];
const OUTPUT = ['output_text', 'refusal'];
const CEILING_MIN = 16;
const LONGEST: readonly (readonly [string, number])[] = [
  ['prompt_cache_key', 64],
  ['safety_identifier', 128],
];
const CALL_ID_CHARACTERS_MAX = 64;

class Refusal extends Error {
  readonly code: string | null;
  readonly status: number;

  constructor(message: string, code: string | null = null, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

type Refuses = (body: Members) => StrictRefusal | null;

/**
 * How OpenAI refuses a responses request, and Azure, which is named then; null for one that it answers. Models that never
 * reason are named `fast`.
 */
export function openaiResponses(provider: string): Refuses {
  return refusing((body) => {
    checkRoot(body);
    const items = itemsOf(body);
    items.forEach(checkItem);
    checkReasoning(items, provider);
    checkCalls(items);
    checkModel(body);
  });
}

/** xAI keeps the form, and refuses what it cannot decrypt and results without their call. */
export const xaiResponses: Refuses = refusing((body) => {
  const items = itemsOf(body);
  for (const item of items) if (item.type === 'reasoning') checkSealed(item, 'xai');
  checkCalls(items);
});

/** What Perplexity's client sends, and what the form of OpenAI has for tools and formats. */
const PERPLEXITY: readonly string[] = [
  'model',
  'input',
  'instructions',
  'stream',
  'store',
  'max_output_tokens',
  'temperature',
  'top_p',
  'reasoning',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
];

/** Perplexity takes fewer members and no summary of reasoning. */
export const perplexityResponses: Refuses = refusing((body) => {
  checkKnown(body, PERPLEXITY, '');
  checkKnown((body.reasoning ?? {}) as Members, ['effort'], 'reasoning.');
  const items = itemsOf(body);
  items.forEach(checkItem);
  checkCalls(items);
});

function refusing(check: (body: Members) => void): Refuses {
  return (body) => {
    try {
      check(body);
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message, code } = error;
      return { status, body: responsesFailure('invalid_request_error', message, code) };
    }
  };
}

function checkRoot(body: Members): void {
  checkKnown(body, ROOT, '');
  const { max_output_tokens: ceiling } = body;
  if (typeof ceiling === 'number' && ceiling < CEILING_MIN) {
    throw new Refusal(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${CEILING_MIN}, but got ${ceiling} instead.`,
      'integer_below_min_value',
    );
  }
  for (const [name, most] of LONGEST) checkLength(body[name], most, name);
  for (const [at, tool] of ((body.tools ?? []) as readonly Members[]).entries()) {
    if (typeof tool.name !== 'string') {
      throw new Refusal(`Missing required parameter: 'tools[${at}].name'.`, 'missing_required_parameter');
    }
  }
}

function itemsOf({ input }: Members): readonly Members[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input) || input.length === 0) {
    throw new Refusal("Missing required parameter: 'input'.", 'missing_required_parameter');
  }
  return (input as readonly Members[]).map((item) => ({ type: 'message', ...item }));
}

function checkItem(item: Members, at: number): void {
  const path = `input[${at}]`;
  const known = ITEMS[String(item.type)];
  if (known === undefined) throw invalidValue(`${path}.type`, item.type, Object.keys(ITEMS));
  checkKnown(item, known, `${path}.`);
  checkLength(item.call_id, CALL_ID_CHARACTERS_MAX, `${path}.call_id`);
  if (item.type === 'message') checkParts(item.content, item.role === 'assistant' ? OUTPUT : INPUT, `${path}.content`);
  if (item.type === 'function_call_output') checkParts(item.output, INPUT, `${path}.output`);
}

function checkParts(content: unknown, kinds: readonly string[], path: string): void {
  if (typeof content === 'string') return;
  for (const [at, part] of (content as readonly Members[]).entries()) {
    const own = `${path}[${at}]`;
    if (!kinds.includes(String(part.type))) throw invalidValue(own, part.type, kinds);
    checkKnown(part, PARTS[String(part.type)] ?? [], `${own}.`);
    if (part.type !== 'input_file') continue;
    if (part.file_url !== undefined && part.filename !== undefined) {
      throw new Refusal(
        `Mutually exclusive parameters: '${own}.file_url' and '${own}.filename'. Ensure you are only providing one of them.`,
        'mutually_exclusive_parameters',
      );
    }
    if (part.file_data !== undefined && part.filename === undefined) {
      throw new Refusal(`Missing required parameter: '${own}.filename'.`, 'missing_required_parameter');
    }
  }
}

/** Nothing is stored, so an item is known by what it encrypts, once, and leads to another one. */
function checkReasoning(items: readonly Members[], provider: string): void {
  const known = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const { id } = item;
    checkSealed(item, provider);
    if (known.has(id)) throw new Refusal(`Duplicate item found with id ${id}. Remove duplicate items from your input.`);
    known.add(id);
    const next = items.slice(at + 1).find(({ type }) => type !== 'reasoning');
    if (next?.type === 'function_call' || (next?.type === 'message' && next.role === 'assistant')) continue;
    throw new Refusal(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
  }
}

/** What a provider encrypted names it here. */
function checkSealed({ id, encrypted_content: sealed }: Members, provider: string): void {
  if (typeof sealed !== 'string') {
    throw new Refusal(
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      null,
      404,
    );
  }
  if (sealed.startsWith(SEALED) && sealed.includes(`-${provider}-`)) return;
  throw new Refusal(
    `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    'invalid_encrypted_content',
  );
}

function checkCalls(items: readonly Members[]): void {
  const idsOf = (kind: string): readonly unknown[] =>
    items.flatMap(({ type, call_id }) => (type === kind ? [call_id] : []));
  const called = idsOf('function_call');
  const answered = idsOf('function_call_output');
  const open = called.find((id) => !answered.includes(id));
  if (open !== undefined) throw new Refusal(`No tool output found for function call ${open}.`);
  const stray = answered.find((id) => !called.includes(id));
  if (stray !== undefined) throw new Refusal(`No tool call found for function call output with call_id ${stray}.`);
}

function checkModel({ model, include, reasoning, temperature, top_p }: Members): void {
  const { effort } = (reasoning ?? {}) as { readonly effort?: string };
  const asks = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  if (String(model).includes('fast')) {
    if (asks) throw new Refusal('Encrypted content is not supported with this model.');
    if (reasoning !== undefined) throw unsupported(effort === undefined ? 'reasoning.summary' : 'reasoning.effort');
  } else if (effort !== undefined && effort !== 'none') {
    if (temperature !== undefined) throw unsupported('temperature');
    if (top_p !== undefined) throw unsupported('top_p');
  }
}

function unsupported(name: string): Refusal {
  return new Refusal(`Unsupported parameter: '${name}' is not supported with this model.`, 'unsupported_parameter');
}

function checkKnown(members: Members, known: readonly string[], path: string): void {
  const strange = Object.keys(members).find((name) => !known.includes(name));
  if (strange !== undefined) throw new Refusal(`Unknown parameter: '${path}${strange}'.`, 'unknown_parameter');
}

function checkLength(value: unknown, most: number, path: string): void {
  if (typeof value !== 'string' || value.length <= most) return;
  throw new Refusal(
    `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
    'string_above_max_length',
  );
}

function invalidValue(path: string, given: unknown, known: readonly string[]): Refusal {
  const names = known.map((name) => `'${name}'`).join(', ');
  return new Refusal(`Invalid value: '${given}' at '${path}'. Supported values are: ${names}.`, 'invalid_value');
}
