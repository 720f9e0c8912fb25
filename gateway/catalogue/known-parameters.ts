import type { OutputModality } from './document-schema.ts';

/** What a request can set on a text model, or require of one. */
const TEXT = [
  ...['temperature', 'top_p', 'top_k', 'top_a', 'min_p', 'seed', 'stop', 'n', 'max_tokens', 'max_completion_tokens'],
  ...['frequency_penalty', 'presence_penalty', 'repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['response_format', 'structured_outputs', 'tools', 'tool_choice', 'parallel_tool_calls', 'verbosity'],
  ...['reasoning', 'reasoning_effort', 'include_reasoning', 'enable_thinking'],
];
const IMAGE = [
  ...['n', 'resolution', 'aspect_ratio', 'size', 'quality', 'output_format', 'background', 'output_compression'],
  'seed',
];
const VIDEO = [
  ...['duration', 'resolution', 'aspect_ratio', 'size', 'seed', 'generate_audio', 'frame_images', 'input_references'],
];

/**
 * Parameters that requests can set, by type of output. Any other name in `supported_parameters` has no effect. Types that
 * no request can have yet declare what they like.
 */
export const KNOWN_PARAMETERS: { readonly [type in OutputModality['type']]?: ReadonlySet<string> } = {
  text: new Set(TEXT),
  image: new Set(IMAGE),
  audio: new Set(['voice', 'format', 'speed', 'language', 'input_references']),
  video: new Set(VIDEO),
  embeddings: new Set(['dimensions', 'input_type', 'encoding_format']),
};
