import { madeCharacters, type ToolIdPattern, type Wire } from '../../../actors/terms/wire.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { PRESETS, type Preset } from '../presets/presets.ts';
import type { DeclaredWire } from '../presets/wire-schema.ts';
import type { DeclaredModel } from './document-schema.ts';
import { InvalidDocument, memberOf } from './validation-error.ts';

type Path = readonly (string | number)[];

/**
 * Members of any wire that decide what is sold, the hold, how the answer is read and that it is not stored: neither
 * renamed nor left out, nor the place of a switch.
 */
const OURS: ReadonlySet<string> = new Set([
  '__proto__',
  'additionalModelRequestFields',
  'candidateCount',
  'contents',
  'generationConfig',
  'inferenceConfig',
  'input',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'maxOutputTokens',
  'messages',
  'model',
  'modelId',
  'n',
  'num_predict',
  'options',
  'prompt',
  'store',
  'stream',
  'system',
]);
/** Headers that are made for each call. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'api-key',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-api-key',
  'x-goog-api-key',
  'x-session-id',
]);
/** Headers of a proxy on the way, and of a signature. */
const OWN_FAMILY = /^(?:proxy-|x-amz-)/;

/** The preset of a provider, by its short form or in its `wire`; undefined without one. */
export function presetOf({ preset, wire }: Pick<ProviderDeclaration, 'preset' | 'wire'>): Preset | undefined {
  return presetNamed((wire as DeclaredWire | undefined)?.preset ?? preset);
}

function presetNamed(name: string | undefined): Preset | undefined {
  return name === undefined ? undefined : (PRESETS as Readonly<Record<string, Preset | undefined>>)[name];
}

/**
 * What one model's endpoint expects of requests: its preset, over it what the provider declares in the configuration,
 * over both what the model declares. Members that are maps are joined by name. Throws `InvalidDocument` for a
 * declaration at the model that cannot be.
 */
export function wireOf(
  provider: Pick<ProviderDeclaration, 'preset' | 'wire'>,
  { wire: own }: Pick<DeclaredModel, 'wire'>,
  at: Path,
): Wire | undefined {
  const shared = provider.wire as DeclaredWire | undefined;
  const preset = presetNamed(own?.preset ?? shared?.preset ?? provider.preset);
  if (own !== undefined) checkWire(own, [...at, 'wire']);
  const { preset: _, ...declared } = [preset?.wire, shared, own].reduce<DeclaredWire>(over, {});
  const wire = resolved(declared);
  return Object.keys(wire).length === 0 ? undefined : wire;
}

function over(below: DeclaredWire, above: DeclaredWire | undefined): DeclaredWire {
  if (above === undefined) return below;
  const joined = { ...below, ...above };
  for (const map of ['rename', 'headers', 'query'] as const) {
    if (below[map] && above[map]) joined[map] = { ...below[map], ...above[map] };
  }
  return joined;
}

/** What the schema cannot say of a declaration. Throws `InvalidDocument`. */
export function checkWire(declared: DeclaredWire, at: Path): void {
  const { rename = {}, omit = [], headers = {}, tool_id, thinking_switch: { path = '' } = {} } = declared;
  const names = [...Object.entries(rename).flat(), ...omit, ...path.split('.').slice(0, 1)];
  const taken = names.find((name) => OURS.has(name));
  if (taken !== undefined) throw fault(at, `${taken} is always sent under this name; remove it`);
  const header = Object.keys(headers).find((name) => isOwnHeader(name.toLowerCase()));
  if (header !== undefined) throw fault([...at, 'headers', header], 'is made for each call; see credential');
  if (tool_id !== undefined && toolIdOf(tool_id) === null) {
    const what = 'must be characters and a length such as [A-Za-z0-9]{9}, with billions of ids';
    throw fault([...at, 'tool_id'], `is ${tool_id} and ${what}`);
  }
}

function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name) || OWN_FAMILY.test(name);
}

function fault(path: Path, what: string): InvalidDocument {
  return new InvalidDocument(path, `${memberOf(path.map(String))}${what.startsWith('is ') ? '' : ':'} ${what}`);
}

function resolved(declared: DeclaredWire): Wire {
  const { rename, omit, thinking_switch, reasoning_history, tool_id, cache_control, system_role } = declared;
  const { ceiling, headers, query, credential, exclusive } = declared;
  const toolId = tool_id === undefined ? null : toolIdOf(tool_id);
  return {
    ...(rename === undefined ? {} : { rename }),
    ...(omit === undefined || omit.length === 0 ? {} : { omit }),
    ...(exclusive === undefined || exclusive.length === 0 ? {} : { exclusive }),
    ...(thinking_switch === undefined
      ? {}
      : { thinkingSwitch: { ...thinking_switch, path: thinking_switch.path.split('.') } }),
    ...(reasoning_history === undefined ? {} : { reasoningHistory: reasoning_history }),
    ...(toolId === null ? {} : { toolId }),
    ...(cache_control === undefined ? {} : { cacheControl: cache_control }),
    ...(system_role === undefined ? {} : { systemRole: system_role }),
    ...(ceiling === undefined ? {} : { ceiling }),
    ...(headers === undefined ? {} : { headers }),
    ...(query === undefined ? {} : { query }),
    ...(credential === undefined ? {} : { credential }),
  };
}

const TOOL_ID = /^\[(.+)\]\{(\d+)(?:,(\d+))?\}$/;

/** With fewer ids of a form the mapped ones of a conversation could be equal. */
const IDS_MIN = 2 ** 32;

/** `[A-Za-z0-9]{9}` as characters and bounds; null if no id, or too few, are of that form. */
function toolIdOf(pattern: string): ToolIdPattern | null {
  const [, ranges = '', least = '', most = least] = TOOL_ID.exec(pattern) ?? [];
  const characters = new Set<string>();
  for (const [, from = '', to = from] of ranges.matchAll(/(.)(?:-(.))?/g)) {
    for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) characters.add(String.fromCharCode(code));
  }
  const [min, max] = [Number(least), Number(most)];
  return min > max || characters.size ** madeCharacters({ min, max }) < IDS_MIN
    ? null
    : { characters: [...characters].join(''), min, max };
}
