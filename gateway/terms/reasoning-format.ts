/** The `format` of reasoning that a provider of the messages dialect signed: only such a provider accepts it back. */
export const SIGNED_THINKING = 'anthropic-claude-v1';
