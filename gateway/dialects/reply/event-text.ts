/** Fixed texts of chat and text completion streams. (spec: inference, Chat stream 1, 4) */

/** Comments end in one newline: a blank line would dispatch an empty event in some clients. */
export const PROCESSING = ': processing\n';
export const KEEP_ALIVE = ': keep-alive\n';
export const DONE = 'data: [DONE]\n\n';
