import { messagesRequest } from './request-schema.ts';

/** Members of a chat request with another name here. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^messages\.reasoning$/, 'messages.thinking'],
  [/^messages\.media$/, 'messages.media'],
  // Results of tools and system turns are messages of their own in a chat request, so indexes differ.
  [/^messages.*/, 'messages'],
  [/^tools\[(\d+)\]\.function\.parameters.*/, 'tools[$1].input_schema'],
  [/^tools\[(\d+)\]\.function\./, 'tools[$1].'],
  [/^tool_choice\.function\.name/, 'tool_choice.name'],
  [/^parallel_tool_calls$/, 'tool_choice.disable_parallel_tool_use'],
  [/^max_completion_tokens$/, 'max_tokens'],
  [/^stop(?:$|\[.*)/, 'stop_sequences'],
  [/^response_format.*/, 'output_config.format'],
];

/** A path of a chat request in a request of this dialect; null where it has none. */
export function pathOf(path: string): string | null {
  for (const [pattern, name] of RENAMED) if (pattern.test(path)) return path.replace(pattern, name);
  const [member = ''] = path.split(/[.[]/, 1);
  return Object.hasOwn(messagesRequest.properties, member) ? path : null;
}
