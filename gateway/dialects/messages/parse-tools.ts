import { invalid } from '../../terms/gateway-error.ts';
import type { Tool, ToolChoice, Turn } from '../../terms/turn.ts';
import { cacheMark } from './parse-content.ts';
import type { MessagesRequest } from './request-schema.ts';

type Tooled = { -readonly [member in keyof Pick<Turn, Member>]: Turn[member] };
type Member = 'tools' | 'toolChoice' | 'parallelToolCalls';
type WireTool = NonNullable<MessagesRequest['tools']>[number];

const HOSTED_SEARCH = /^web_search_\d{8}$/;

/**
 * Sets on the turn its tools and the tool choice. Every tool is a function of the client: a hosted one is refused with
 * its position, since nobody would run it. (rule I73)
 */
export function parseTools(request: Pick<MessagesRequest, 'tools' | 'tool_choice'>, turn: Tooled): void {
  const tools = toolsOf(request.tools);
  const choice = choiceOf(request.tool_choice);
  if (tools.length === 0) {
    if (choice === null || choice === 'none' || choice === 'auto') return;
    throw invalid('tool_choice asks for a tool call and tools has none');
  }
  if (choice !== null && typeof choice === 'object' && !tools.some(({ name }) => name === choice.name)) {
    throw invalid(`tool_choice.name: ${choice.name} is not among tools`);
  }
  turn.tools = tools;
  if (choice !== null) turn.toolChoice = choice;
  const serial = request.tool_choice?.disable_parallel_tool_use;
  if (serial != null) turn.parallelToolCalls = !serial;
}

/** Checked tools as terms. Throws 400 for a hosted one. */
export function toolsOf(tools: readonly WireTool[] | null | undefined): Tool[] {
  return (tools ?? []).map((tool, at) => {
    refuseHosted(tool, at);
    return {
      name: tool.name,
      ...(tool.description == null ? {} : { description: tool.description }),
      ...(tool.input_schema == null ? {} : { parameters: tool.input_schema }),
      ...(tool.strict == null ? {} : { strict: tool.strict }),
      ...cacheMark(tool),
    };
  });
}

function refuseHosted({ type }: WireTool, at: number): void {
  if (type == null || type === 'custom') return;
  const what = HOSTED_SEARCH.test(type) ? 'hosted web search' : `the hosted tool ${type}`;
  throw invalid(`tools[${at}].type: ${what} is not supported; declare a function of your own with input_schema`);
}

function choiceOf(choice: MessagesRequest['tool_choice']): ToolChoice | null {
  if (choice == null) return null;
  if (choice.type === 'tool') return { name: choice.name };
  return choice.type === 'any' ? 'required' : choice.type;
}
