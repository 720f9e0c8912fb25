import { invalid } from '../../terms/gateway-error.ts';
import type { Tool, ToolChoice, Turn } from '../../terms/turn.ts';
import type { ChatRequest } from './request-schema.ts';

type Tooled = { -readonly [member in keyof Pick<Turn, Member>]: Turn[member] };
type Member = 'stream' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'dispatch';

/**
 * Sets on the turn its tools, the tool choice, and whether calls are announced. A required call needs a tool to call;
 * without tools the other members have no effect. (rule I115, rule I66)
 */
export function parseTools(request: ChatRequest, turn: Tooled): void {
  const choice = choiceOf(request);
  const tools = request.tools ?? [];
  if (tools.length === 0) {
    if (choice === null || choice === 'none' || choice === 'auto') return;
    throw invalid('tool_choice asks for a tool call and tools has none');
  }
  if (choice !== null && typeof choice === 'object') {
    if (!tools.some(({ function: declared }) => declared.name === choice.name)) {
      throw invalid(`tool_choice.function.name: ${choice.name} is not among tools`);
    }
  }
  if (choice !== null) turn.toolChoice = choice;
  turn.tools = tools.map(toolOf);
  if (request.parallel_tool_calls != null) turn.parallelToolCalls = request.parallel_tool_calls;
  if (turn.stream && request.stream_options?.include_tool_dispatch === true) turn.dispatch = true;
}

function choiceOf({ tool_choice: choice }: ChatRequest): ToolChoice | null {
  if (choice == null) return null;
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

function toolOf({ function: declared }: NonNullable<ChatRequest['tools']>[number]): Tool {
  return {
    name: declared.name,
    ...(declared.description == null ? {} : { description: declared.description }),
    ...(declared.parameters == null ? {} : { parameters: declared.parameters }),
    ...(declared.strict == null ? {} : { strict: declared.strict }),
  };
}
