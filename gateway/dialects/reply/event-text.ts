/** What the chat and the text completion streams write beside their chunks. (spec: inference, Chat stream 1, 4) */

/** Comments end in one newline: a blank line would dispatch an empty event in some clients. */
export const PROCESSING = ': processing\n';
export const KEEP_ALIVE = ': keep-alive\n';
export const DONE = 'data: [DONE]\n\n';
