import { PARAMETERS } from '../../terms/parameters.ts';

/** What a provider's own list states of one model. An absent member is not stated. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly contextLength?: number;
  /** The longest context of the model, where the server is told with each request how much of it to provide. */
  readonly contextLengthMax?: number;
  readonly completionTokensMax?: number;
  /** Exact decimal USD per token; never zero, which a list may also write for "not stated". */
  readonly promptUsd?: string;
  readonly completionUsd?: string;
  readonly cachedUsd?: string;
  readonly readsPictures: boolean;
  readonly reasons: boolean;
  /** Levels of reasoning, or a budget in tokens, where the list names them. */
  readonly efforts?: readonly string[];
  readonly thinksByBudget?: true;
  /** Answers follow a schema. */
  readonly followsSchemas?: true;
  /** Declared parameters, where the list names them. */
  readonly parameters?: readonly string[];
  /** False: the list denies it. */
  readonly callsTools?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Names of models that answer no conversation, where a list says nothing else of them. */
const NOT_CHAT =
  /embed|whisper|\btts\b|dall-e|moderation|transcri|realtime|rerank|speech|\bsora\b|\bveo\b|imagen|\bocr\b|davinci|babbage|guard|\bimage\b/i;
const CHAT_TYPES: readonly unknown[] = ['chat', 'language', 'code', 'model'];

/** The entries of a list of models: a bare list, or the member that holds it. Null for no list. */
export function entriesIn(answer: unknown): readonly Members[] | null {
  const { data, models } = membersOf(answer);
  const list = [answer, data, models].find(Array.isArray);
  return list?.map(membersOf).filter((entry) => idOf(entry) !== '') ?? null;
}

/** The models of a list that answer conversations, and the ids of the others. */
export function listedModels(entries: readonly Members[]): {
  readonly models: readonly ListedModel[];
  readonly others: readonly string[];
} {
  const isFirst = (entry: Members, at: number): boolean => entries.findIndex((one) => idOf(one) === idOf(entry)) === at;
  const once = entries.filter(isFirst);
  return {
    models: once.filter(chats).map(modelOf),
    others: once.filter((entry) => !chats(entry)).map(idOf),
  };
}

/** Google writes `models/NAME`, and a call without the folder. */
export function idOf({ id, name }: Members): string {
  const text = typeof id === 'string' ? id : typeof name === 'string' ? name : '';
  return text.replace(/^models\//, '');
}

function chats(entry: Members): boolean {
  const { active, type, supports_chat, supportedGenerationMethods: methods, endpoints, is_deprecated } = entry;
  const { capabilities } = entry;
  const { completion_chat } = membersOf(capabilities);
  const outputs = membersOf(entry.architecture).output_modalities;
  if ([active, supports_chat, completion_chat].includes(false) || is_deprecated === true) return false;
  if (Array.isArray(capabilities)) return capabilities.includes('completion');
  if (typeof type === 'string') return CHAT_TYPES.includes(type);
  if (Array.isArray(methods)) return methods.includes('generateContent') && !NOT_CHAT.test(idOf(entry));
  if (Array.isArray(endpoints)) return endpoints.includes('chat');
  if (Array.isArray(outputs)) return outputs.length === 1 && outputs[0] === 'text';
  return completion_chat === true || !NOT_CHAT.test(idOf(entry));
}

function modelOf(entry: Members): ListedModel {
  const top = membersOf(entry.top_provider);
  const id = idOf(entry);
  const { display_name, displayName, name } = entry;
  return {
    id,
    name: [display_name, displayName, name].map(textOf).find((text) => text !== undefined) ?? id,
    ...defined({
      created: createdOf(entry),
      contextLength: countOf(
        entry.context_length,
        entry.context_window,
        entry.max_context_length,
        entry.max_model_len,
        entry.max_input_tokens,
        entry.inputTokenLimit,
        setContext(entry.parameters),
      ),
      contextLengthMax: countOf(longestContext(membersOf(entry.model_info))),
      completionTokensMax: countOf(
        entry.max_completion_tokens,
        entry.max_output_tokens,
        entry.outputTokenLimit,
        entry.max_tokens,
        top.max_completion_tokens,
      ),
      parameters: parametersOf(entry.supported_parameters),
      ...pricesOf(membersOf(entry.pricing)),
      ...abilitiesOf(entry),
    }),
    readsPictures: readsPictures(entry),
    reasons: reasons(entry),
  };
}

/** Ollama names the family of a model, and its members by that. */
function longestContext(info: Members): unknown {
  return info[`${info['general.architecture']}.context_length`];
}

/** What the author of a model for Ollama set, among the lines of its parameters. */
function setContext(parameters: unknown): number | undefined {
  const [, tokens] = /^num_ctx +(\d{1,9})$/m.exec(textOf(parameters) ?? '') ?? [];
  return tokens === undefined ? undefined : Number(tokens);
}

function createdOf({ created, created_at, modified_at }: Members): number | undefined {
  if (Number.isInteger(created) && (created as number) > 0) return created as number;
  const ms = Date.parse(textOf(created_at) ?? textOf(modified_at) ?? '');
  return ms > 0 ? Math.floor(ms / 1_000) : undefined;
}

/** Text per token, as OpenRouter states it, or numbers per million, as Together does. */
function pricesOf({ prompt, completion, input_cache_read, input, output }: Members): Partial<ListedModel> {
  const perMillion = (value: unknown): string | undefined =>
    typeof value === 'number' ? (perToken(String(value)) ?? undefined) : undefined;
  return defined({
    promptUsd: priceOf(prompt) ?? priceOf(perMillion(input)),
    completionUsd: priceOf(completion) ?? priceOf(perMillion(output)),
    cachedUsd: priceOf(input_cache_read),
  });
}

const PRICE = /^\d{1,12}(\.\d{1,40})?$/;

function priceOf(value: unknown): string | undefined {
  return typeof value === 'string' && PRICE.test(value) && /[1-9]/.test(value) ? value : undefined;
}

/** A decimal price of a million tokens as that of one, without rounding; null for another text. */
export function perToken(million: string): string | null {
  if (!/^\d{1,6}(\.\d{1,30})?$/.test(million)) return null;
  const [whole = '', fraction = ''] = million.split('.');
  const digits = whole.padStart(7, '0');
  const rest = `${digits.slice(-6)}${fraction}`.replace(/0+$/, '');
  return `${digits.slice(0, -6).replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}

function abilitiesOf({ capabilities, supports_tools, features }: Members): Partial<ListedModel> {
  const { function_calling, effort, thinking, structured_outputs } = membersOf(capabilities);
  const { adaptive, enabled } = membersOf(membersOf(thinking).types);
  const levels = LEVELS.filter((level) => isSupported(membersOf(effort)[level]));
  const stated = [function_calling, supports_tools].find((each) => typeof each === 'boolean');
  const listed = [features, capabilities].find(Array.isArray)?.includes('tools');
  return defined({
    callsTools: (stated as boolean | undefined) ?? listed,
    efforts: levels.length === 0 ? undefined : levels,
    thinksByBudget: isSupported(enabled) && !isSupported(adaptive) ? true : undefined,
    followsSchemas: isSupported(structured_outputs) ? true : undefined,
  });
}

const LEVELS = ['max', 'xhigh', 'high', 'medium', 'low'];

/** As Anthropic states an ability. */
function isSupported(ability: unknown): boolean {
  return membersOf(ability).supported === true;
}

function readsPictures({ architecture, capabilities, features, ...entry }: Members): boolean {
  const { vision, image_input } = membersOf(capabilities);
  const inputs = membersOf(architecture).input_modalities;
  return (
    (Array.isArray(inputs) && inputs.includes('image')) ||
    [features, capabilities].some((names) => Array.isArray(names) && names.includes('vision')) ||
    isSupported(image_input) ||
    [vision, entry.supports_image_in, entry.supports_image_input].includes(true)
  );
}

function reasons({ supported_parameters, capabilities, features, ...entry }: Members): boolean {
  const { reasoning, thinking } = membersOf(capabilities);
  return (
    (Array.isArray(supported_parameters) && supported_parameters.includes('reasoning')) ||
    (Array.isArray(features) && features.includes('reasoning')) ||
    (Array.isArray(capabilities) && capabilities.includes('thinking')) ||
    isSupported(thinking) ||
    [reasoning, entry.supports_reasoning, entry.thinking].includes(true)
  );
}

function parametersOf(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter((name) => typeof name === 'string' && Object.hasOwn(PARAMETERS, name));
}

function countOf(...values: readonly unknown[]): number | undefined {
  return values.find((value) => Number.isInteger(value) && (value as number) > 0) as number | undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

type Defined<T> = { readonly [member in keyof T]: Exclude<T[member], undefined> };

function defined<T extends object>(members: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}
