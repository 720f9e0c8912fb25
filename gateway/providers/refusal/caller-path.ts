import { PARAMETER_ROWS } from '../../terms/parameters.ts';

/**
 * Paths of a chat request. A provider may name any path, and a name inside it may be text of the caller, so only what
 * stands here is ever shown. Below a JSON Schema all names are the caller's: its paths end there.
 */
export const CALLER_PATHS: readonly string[] = [
  'messages[].role',
  'messages[].name',
  'messages[].content[].text',
  'messages[].content[].type',
  'messages[].content[].image_url.url',
  'messages[].content[].image_url.detail',
  'messages[].content[].video_url.url',
  'messages[].content[].audio_url.url',
  'messages[].content[].input_audio.data',
  'messages[].content[].input_audio.format',
  'messages[].content[].file.filename',
  'messages[].content[].file.file_data',
  'messages[].tool_calls[].id',
  'messages[].tool_calls[].type',
  'messages[].tool_calls[].function.name',
  'messages[].tool_calls[].function.arguments',
  'messages[].tool_call_id',
  'messages[].reasoning',
  'messages[].reasoning_details',
  'messages[].refusal',
  'tools[].type',
  'tools[].function.name',
  'tools[].function.description',
  'tools[].function.parameters',
  'tools[].function.strict',
  'tool_choice.type',
  'tool_choice.function.name',
  'response_format.type',
  'response_format.json_schema',
  'reasoning.effort',
  'reasoning.max_tokens',
  'reasoning.enabled',
  'audio.voice',
  'audio.format',
  'modalities',
  'user',
  ...PARAMETER_ROWS.flatMap(parameterPaths),
];

function parameterPaths([name, { bounds, outputs, shown = name }]: (typeof PARAMETER_ROWS)[number]): string[] {
  const ofChat = bounds === undefined ? outputs.includes('text') : bounds.chat !== undefined;
  return [...(ofChat ? [shown] : []), ...(bounds?.images === undefined ? [] : [`image_config.${name}`])];
}

/** Names of the same members in the words of other dialects and servers. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^(?:body|request|GenerateContentRequest)\./, ''],
  [/^tools\[\d+\]\.function_declarations\[(\d+)\]/, 'tools[$1].function'],
  [/^tools\[(\d+)\]\.(?:custom\.)?input_schema/, 'tools[$1].function.parameters'],
  [/^tools\[(\d+)\]\.(?:custom\.)?(name|description)$/, 'tools[$1].function.$2'],
  [/^generation_config\./, ''],
  [/^(?:max_completion_tokens|max_output_tokens|max_new_tokens)$/, 'max_tokens'],
  [/^stop_sequences/, 'stop'],
  [/^thinking\.budget_tokens$/, 'reasoning.max_tokens'],
  [/^(?:thinking|output_config\.effort)/, 'reasoning'],
  [/^(?:response_schema|output_format|output_config\.format)/, 'response_format'],
  [/^text\.format/, 'response_format'],
  [/^(?:metadata\.user_id|safety_identifier)$/, 'user'],
  [/^(?:instructions$|input\[\d+\]\..*)/, 'messages'],
  [/^tools\[(\d+)\]\.(parameters|strict)/, 'tools[$1].function.$2'],
  // These dialects hold the messages in another form, where indexes count differently.
  [/^(?:system|contents)(?:$|[.[].*)/, 'messages'],
];

/** Names that validators put between an index and a member: the variant of a union. */
const VARIANTS: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool', 'developer', 'function']);

const PATH_CHARACTERS_MAX = 256;
const INDEX = /^\d{1,6}$/;

interface Place {
  readonly members: Map<string, Place>;
}

const ROOT = placesOf(CALLER_PATHS);

/**
 * The longest beginning of a provider's path that is a path of a chat request; undefined where not even the first name
 * is. `tools.0.x` and `tools[0].x` are the same path. A path in dots is that of the messages dialect: its messages are
 * counted differently, so their indexes are left out.
 */
export function callerPath(named: string | readonly (string | number)[]): string | undefined {
  const written = typeof named === 'string' ? named : named.join('.');
  if (written.length > PATH_CHARACTERS_MAX) return undefined;
  let path = written.replace(/\.(\d{1,6})(?=\.|$)/g, '[$1]').replace(/["'`$]/g, '');
  for (const [pattern, name] of RENAMED) path = path.replace(pattern, name);
  const found = walk(path.split(/[.[\]]+/).filter((name) => name !== ''));
  return typeof named === 'string' && /^messages\.\d/.test(named) && found !== undefined ? 'messages' : found;
}

function walk(names: readonly string[]): string | undefined {
  let place = ROOT;
  let found = '';
  for (const name of names) {
    const isIndex = INDEX.test(name);
    const next = place.members.get(isIndex ? '' : name);
    if (next === undefined) {
      if (found !== '' && VARIANTS.has(name)) continue;
      break;
    }
    found += isIndex ? `[${Number(name)}]` : found === '' ? name : `.${name}`;
    place = next;
  }
  return found === '' ? undefined : found;
}

function placesOf(paths: readonly string[]): Place {
  const root: Place = { members: new Map() };
  for (const path of paths) {
    let place = root;
    for (const name of path.replaceAll('[]', '.').split('.')) {
      const next = place.members.get(name) ?? { members: new Map() };
      place.members.set(name, next);
      place = next;
    }
  }
  return root;
}
