/** Fixed texts of chat and text completion streams. (rule I52, rule I55) */

/** Comments end in one newline: a blank line would dispatch an empty event in some clients. */
export const PROCESSING = ': processing\n';
export const KEEP_ALIVE = ': keep-alive\n';
export const DONE = 'data: [DONE]\n\n';
