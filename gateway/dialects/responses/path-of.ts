import { responsesRequest } from './request-schema.ts';

/** Members of a chat request whose name or place differs here. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^messages\.(reasoning|media)$/, 'input.$1'],
  [/^messages.*/, 'input'],
  [/^(tools\[\d{1,6}\](?:\.tools\[\d{1,6}\])?)\.function/, '$1'],
  [/^tool_choice\.function/, 'tool_choice'],
  [/^response_format\.json_schema/, 'text.format.schema'],
  [/^response_format/, 'text.format'],
  [/^max_(?:completion_)?tokens$/, 'max_output_tokens'],
  [/^reasoning_effort$/, 'reasoning.effort'],
];

/** A path of a chat request in a responses request; null where it has none. */
export function pathOf(path: string): string | null {
  let own = path;
  for (const [pattern, name] of RENAMED) own = own.replace(pattern, name);
  const [member = ''] = own.split(/[.[]/, 1);
  return Object.hasOwn(responsesRequest.properties, member) ? own : null;
}
