/** The closed lists of the messages dialect. (rule I79) */
export const messagesDialectWords = {
  events: new Set([
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
    ...['message_delta', 'message_stop', 'ping', 'error'],
  ]),
  errors: new Set<unknown>([
    ...['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error', 'rate_limit_error'],
    ...['api_error', 'overloaded_error', 'billing_error', 'timeout_error'],
  ]),
  stopReasons: new Set<unknown>([
    ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'],
    'model_context_window_exceeded',
  ]),
};
