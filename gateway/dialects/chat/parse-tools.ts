import { invalid } from '../../terms/invalid.ts';
import type { Tool, ToolChoice, Turn } from '../../terms/turn.ts';
import type { ChatRequest } from './request-schema.ts';

type Tooled = { -readonly [member in keyof Pick<Turn, Member>]: Turn[member] };
type Member = 'stream' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'dispatch';

/**
 * Tools, how they are to be chosen, and whether their calls are announced, put on the turn. A demanded call needs a
 * tool to call; without tools the rest asks for nothing. (spec: inference, Routing rules 4, Call-ready tool dispatch)
 */
export function parseTools(request: ChatRequest, turn: Tooled): void {
  const wanted = choiceOf(request);
  const tools = request.tools ?? [];
  if (tools.length === 0) {
    if (wanted === null || wanted === 'none' || wanted === 'auto') return;
    throw invalid('tool_choice asks for a tool call and tools has none');
  }
  if (wanted !== null && typeof wanted === 'object') {
    if (!tools.some(({ function: declared }) => declared.name === wanted.name)) {
      throw invalid(`tool_choice.function.name: ${wanted.name} is not among tools`);
    }
  }
  if (wanted !== null) turn.toolChoice = wanted;
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
