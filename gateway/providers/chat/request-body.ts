import type { Tool, Turn, TurnMessage } from '../../terms/turn.ts';

/** What of the endpoint decides how a turn is written for it. */
export interface ChatEndpoint {
  readonly upstreamId: string;
  readonly ceilingName: 'max_tokens' | 'max_completion_tokens';
  readonly declares: (parameter: string) => boolean;
}

/**
 * A turn as the JSON body of a chat completion request: standard members, and beyond them only what the endpoint
 * declares. The ceiling goes out under the one name it declared; a stream always asks for its usage.
 */
export function requestBody(turn: Turn, endpoint: ChatEndpoint, ceiling: number): string {
  const body: Record<string, unknown> = {
    model: endpoint.upstreamId,
    messages: turn.messages.map(wireMessage),
    stream: turn.stream,
    [endpoint.ceilingName]: ceiling,
  };
  if (turn.stream) body.stream_options = { include_usage: true };
  for (const name of Object.keys(turn.sampling)) {
    if (endpoint.declares(name)) body[name] = turn.sampling[name];
  }
  if (turn.reasoning?.effort !== undefined) body.reasoning_effort = turn.reasoning.effort;
  if (turn.tools) addTools(turn, turn.tools, endpoint, body);
  if (turn.responseFormat) body.response_format = turn.responseFormat;
  if (turn.user !== undefined) body.user = turn.user;
  return JSON.stringify(body);
}

function addTools(turn: Turn, tools: readonly Tool[], endpoint: ChatEndpoint, body: Record<string, unknown>): void {
  body.tools = tools.map((tool) => ({ type: 'function', function: tool }));
  const choice = turn.toolChoice;
  if (choice !== undefined)
    body.tool_choice = typeof choice === 'string' ? choice : { type: 'function', function: choice };
  if (turn.parallelToolCalls !== undefined && endpoint.declares('parallel_tool_calls')) {
    body.parallel_tool_calls = turn.parallelToolCalls;
  }
}

/** `developer` is a newer word for `system` that not every server knows. */
function wireMessage(message: TurnMessage): object {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text ?? (message.toolCalls ? null : ''),
        name: message.name,
        tool_calls: message.toolCalls?.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      };
    case 'tool':
      return { role: 'tool', content: message.text, tool_call_id: message.toolCallId };
    default:
      return {
        role: message.role === 'developer' ? 'system' : message.role,
        content: message.text,
        name: message.name,
      };
  }
}
