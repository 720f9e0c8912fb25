/**
 * The published rules of the messages dialect, as its own provider enforces them: each refused request is a 400 in the
 * provider's wording. Members of newer dates are unknown here, as they would be to an older server.
 */

/** What a model of a strict provider takes; the families differ. */
export interface MessagesModel {
  /** How it thinks: with a budget, as much as it finds useful, or not at all. */
  readonly thinks: 'budget' | 'adaptive' | 'never';
  /** `temperature` and `top_p` may be set together. */
  readonly samplesTwice: boolean;
  /** The conversation may end with the beginning of the answer. */
  readonly prefills: boolean;
}

type Members = Readonly<Record<string, unknown>>;

interface Turn {
  readonly role: unknown;
  readonly content: readonly Members[];
}

const ROOT = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'service_tier',
]);
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'cache_control', 'citations'],
  image: ['source', 'cache_control'],
  document: ['source', 'title', 'context', 'citations', 'cache_control'],
  search_result: ['source', 'title', 'content', 'citations', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'cache_control'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
};
const TOOL = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control']);
const CHOICES = ['auto', 'any', 'none', 'tool'];
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const BUDGET_MIN = 1_024;
const TOP_P_MIN = 0.95;
const MARKS_MAX = 4;

class Refusal extends Error {}

/**
 * The message with which the provider refuses a request; null for one that it answers. `isSigned` knows the signatures
 * and the encrypted thinking that this provider has made.
 */
export function refusalOf(body: unknown, model: MessagesModel, isSigned: (text: unknown) => boolean): string | null {
  try {
    const request = membersOf(body, 'body');
    const turns = turnsOf(request);
    checkRoot(request);
    checkSystem(request.system);
    checkTools(request);
    for (const [at, turn] of turns.entries()) checkTurn(turn, at, isSigned);
    checkCalls(turns);
    checkMarks(request, turns);
    checkThinking(request, turns, model);
    checkSampling(request, model);
    checkEnd(turns, model);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function refuse(message: string): never {
  throw new Refusal(message);
}

function checkRoot(request: Members): void {
  onlyKnown(request, ROOT, '');
  if (typeof request.model !== 'string') refuse('model: Field required');
  if (!Number.isInteger(request.max_tokens)) refuse('max_tokens: Field required');
  if ((request.max_tokens as number) < 1) refuse('max_tokens: must be greater than or equal to 1');
  if (request.metadata !== undefined) {
    onlyKnown(membersOf(request.metadata, 'metadata'), new Set(['user_id']), 'metadata.');
  }
  const stops = (request.stop_sequences ?? []) as readonly string[];
  if (stops.some((stop) => stop.trim() === '')) {
    refuse('stop_sequences: each stop sequence must contain non-whitespace');
  }
}

function turnsOf({ messages }: Members): readonly Turn[] {
  if (!Array.isArray(messages)) refuse('messages: Field required');
  if (messages.length === 0) refuse('messages: at least one message is required');
  const turns = messages.map((message, at): Turn => {
    const { role, content, ...more } = membersOf(message, `messages.${at}`);
    onlyKnown(more, new Set(), `messages.${at}.`);
    if (role !== 'user' && role !== 'assistant') refuse(`messages.${at}.role: Input should be 'user' or 'assistant'`);
    return { role, content: blocksOf(content, `messages.${at}.content`) };
  });
  if (turns[0]?.role !== 'user') refuse('messages: first message must use the "user" role');
  return turns;
}

function blocksOf(content: unknown, path: string): readonly Members[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) refuse(`${path}: Input should be a valid list`);
  return content.map((block, at) => membersOf(block, `${path}.${at}`));
}

function checkSystem(system: unknown): void {
  if (system === undefined) return;
  blocksOf(system, 'system').forEach((block, at) => {
    if (block.type !== 'text') refuse(`system.${at}.type: Input should be 'text'`);
    checkBlock(block, `system.${at}`, 'system');
  });
}

function checkTurn({ role, content }: Turn, at: number, isSigned: (text: unknown) => boolean): void {
  if (content.length === 0) refuse(`messages.${at}: ${role} messages must have non-empty content`);
  const allowed = role === 'user' ? [...CONTENT, 'tool_result'] : ASSISTANT;
  let isAfterOthers = false;
  content.forEach((block, index) => {
    const path = `messages.${at}.content.${index}`;
    if (!allowed.includes(block.type as string))
      refuse(`${path}: Input tag '${block.type}' found using 'type' does not match`);
    checkBlock(block, path, 'messages');
    if (block.type === 'thinking' && !isSigned(block.signature)) {
      refuse(`${path}: Invalid \`signature\` in \`thinking\` block`);
    }
    if (block.type === 'redacted_thinking' && !isSigned(block.data)) {
      refuse(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
    }
    if (block.type !== 'tool_result') isAfterOthers = true;
    else if (isAfterOthers) refuse(`${path}: \`tool_result\` blocks must come before other content`);
  });
}

const CONTENT = ['text', 'image', 'document', 'search_result'];
const ASSISTANT = ['text', 'thinking', 'redacted_thinking', 'tool_use'];

function checkBlock(block: Members, path: string, list: string): void {
  const { type, ...members } = block;
  onlyKnown(members, new Set(BLOCKS[type as string]), `${path}.${type}.`);
  if (type === 'text') {
    if (block.text === '') refuse(`${list}: text content blocks must be non-empty`);
    if ((block.text as string).trim() === '') refuse(`${list}: text content blocks must contain non-whitespace text`);
  }
  if (type === 'image') checkSource(block.source, `${path}.image.source`, PICTURES);
  if (type === 'document') checkDocument(block.source, `${path}.document.source`, list);
  if (type === 'search_result') checkHeld(block.content, ['text'], `${path}.search_result.content`, list);
  if (type === 'tool_use') checkCallId(block.id, `${path}.tool_use.id`);
  if (type === 'tool_use') membersOf(block.input, `${path}.tool_use.input`);
  if (type !== 'tool_result') return;
  checkCallId(block.tool_use_id, `${path}.tool_result.tool_use_id`);
  checkHeld(block.content ?? '', CONTENT, `${path}.tool_result.content`, list);
}

function checkHeld(content: unknown, types: readonly string[], path: string, list: string): void {
  blocksOf(content, path).forEach((inner, at) => {
    if (!types.includes(inner.type as string)) refuse(`${path}.${at}: wrong type`);
    checkBlock(inner, `${path}.${at}`, list);
  });
}

function checkDocument(given: unknown, path: string, list: string): void {
  const source = membersOf(given, path);
  if (source.type !== 'content') {
    checkSource(given, path, ['application/pdf']);
    return;
  }
  onlyKnown(source, new Set(['type', 'content']), `${path}.content.`);
  checkHeld(source.content, ['text', 'image'], `${path}.content.content`, list);
}

function checkSource(given: unknown, path: string, types: readonly string[]): void {
  const source = membersOf(given, path);
  if (source.type === 'url') {
    onlyKnown(source, new Set(['type', 'url']), `${path}.url.`);
    return;
  }
  onlyKnown(source, new Set(['type', 'media_type', 'data']), `${path}.${source.type}.`);
  const expected = source.type === 'text' ? ['text/plain'] : types;
  if (!expected.includes(source.media_type as string)) {
    refuse(`${path}.${source.type}.media_type: Input should be ${expected.map((each) => `'${each}'`).join(', ')}`);
  }
}

function checkCallId(id: unknown, path: string): void {
  if (typeof id !== 'string' || !CALL_ID.test(id)) refuse(`${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
}

/** Each call has its result in the next message, and each result its call in the message before. */
function checkCalls(turns: readonly Turn[]): void {
  const known = new Set<unknown>();
  turns.forEach(({ role, content }, at) => {
    const made = idsOf(content, 'tool_use', 'id');
    const results = idsOf(content, 'tool_result', 'tool_use_id');
    const before = at === 0 ? [] : idsOf((turns[at - 1] as Turn).content, 'tool_use', 'id');
    const stray = results.find((id) => !before.includes(id));
    if (stray !== undefined) {
      refuse(
        `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    const open = before.filter((id) => !results.includes(id));
    if (open.length > 0 && role === 'user') refuse(unanswered(at - 1, open));
    if (at === turns.length - 1 && made.length > 0) refuse(unanswered(at, made));
    for (const id of made) {
      if (known.has(id)) refuse(`messages.${at}: \`tool_use\` ids must be unique`);
      known.add(id);
    }
  });
}

/** Marks of the whole prompt, of tools and of blocks, also of those that other blocks hold. */
function checkMarks({ cache_control, system, tools }: Members, turns: readonly Turn[]): void {
  const marksIn = (text: string): number => text.split('"cache_control":{').length - 1;
  const found = marksIn(JSON.stringify({ cache_control, system, tools, turns }));
  if (found > MARKS_MAX) refuse(`A maximum of ${MARKS_MAX} blocks with cache_control may be provided. Found ${found}.`);
}

function unanswered(at: number, ids: readonly unknown[]): string {
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function idsOf(content: readonly Members[], type: string, member: string): readonly unknown[] {
  return content.filter((block) => block.type === type).map((block) => block[member]);
}

function checkTools({ tools, tool_choice: choice }: Members): void {
  const names = new Set<unknown>();
  ((tools ?? []) as readonly Members[]).forEach((tool, at) => {
    onlyKnown(tool, TOOL, `tools.${at}.custom.`);
    if (!TOOL_NAME.test(String(tool.name)))
      refuse(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(tool.name)) refuse('tools: Tool names must be unique.');
    names.add(tool.name);
    const schema = membersOf(tool.input_schema, `tools.${at}.custom.input_schema`);
    if (schema.type !== 'object') refuse(`tools.${at}.custom.input_schema.type: Input should be 'object'`);
  });
  if (choice === undefined) return;
  if (names.size === 0) refuse('tool_choice may only be specified while providing tools.');
  const { type, ...members } = membersOf(choice, 'tool_choice');
  if (!CHOICES.includes(type as string)) refuse(`tool_choice: Input tag '${type}' found using 'type' does not match`);
  const further = type === 'none' ? [] : ['disable_parallel_tool_use'];
  onlyKnown(members, new Set(type === 'tool' ? [...further, 'name'] : further), `tool_choice.${type}.`);
}

function checkThinking(request: Members, turns: readonly Turn[], model: MessagesModel): void {
  const config = membersOf(request.output_config ?? {}, 'output_config');
  onlyKnown(config, new Set(['effort', 'format']), 'output_config.');
  if (config.effort !== undefined) {
    if (model.thinks !== 'adaptive') refuse('This model does not support the effort parameter.');
    if (!EFFORTS.includes(config.effort as string)) {
      refuse(`output_config.effort: Input should be ${EFFORTS.map((each) => `'${each}'`).join(', ')}`);
    }
  }
  const { type = 'disabled', budget_tokens: budget, ...more } = membersOf(request.thinking ?? {}, 'thinking');
  onlyKnown(more, new Set(['display']), `thinking.${type}.`);
  if (type === 'disabled') return;
  if (type === 'adaptive' && model.thinks !== 'adaptive') refuse('adaptive thinking is not supported on this model');
  if (type === 'enabled' && model.thinks !== 'budget') {
    refuse(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  if (type === 'enabled') checkBudget(request, budget, turns);
  const choice = (request.tool_choice as Members | undefined)?.type;
  if (choice === 'any' || choice === 'tool') refuse('Thinking may not be enabled when tool_choice forces tool use.');
  const { temperature = 1, top_p = 1, top_k } = request;
  if (temperature !== 1) refuse('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
  if ((top_p as number) < TOP_P_MIN) {
    refuse('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
  if (top_k !== undefined) refuse('`top_k` must be unset when thinking is enabled.');
}

function checkBudget({ max_tokens }: Members, budget: unknown, turns: readonly Turn[]): void {
  if (typeof budget !== 'number') refuse('thinking.enabled.budget_tokens: Field required');
  if (budget < BUDGET_MIN) {
    refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (budget >= (max_tokens as number)) refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  const at = turns.findLastIndex(({ role }) => role === 'assistant');
  const results = turns[at + 1]?.content.some(({ type }) => type === 'tool_result');
  const first = turns[at]?.content[0]?.type;
  if (results && first !== 'thinking' && first !== 'redacted_thinking') {
    refuse(
      `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}

function checkSampling({ temperature, top_p: topP }: Members, model: MessagesModel): void {
  if (temperature !== undefined && ((temperature as number) < 0 || (temperature as number) > 1)) {
    refuse('temperature: range: 0..1');
  }
  if (temperature !== undefined && topP !== undefined && !model.samplesTwice) {
    refuse('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
}

function checkEnd(turns: readonly Turn[], model: MessagesModel): void {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return;
  if (!model.prefills) {
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.');
  }
  const { text = '' } = last.content.at(-1) ?? {};
  if (String(text).trimEnd() !== text) refuse('messages: final assistant content cannot end with trailing whitespace');
}

function onlyKnown(members: Members, known: ReadonlySet<string>, path: string): void {
  const unknown = Object.keys(members).find((name) => !known.has(name));
  if (unknown !== undefined) refuse(`${path}${unknown}: Extra inputs are not permitted`);
}

function membersOf(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(`${path}: Input should be a valid dictionary`);
  }
  return value as Members;
}
