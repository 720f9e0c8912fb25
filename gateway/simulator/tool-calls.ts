import type { Behaviour } from './behaviour.ts';
import type { ChatRequest } from './chat-request.ts';
import { flawsOf } from './flaws.ts';
import { filled } from './json-filler.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A tool is called when the caller demands it, or always by `sim/tools` as long as no tool has answered yet. */
export function toolCallsOf(request: ChatRequest, behaviour: Behaviour, call: number): readonly ToolCall[] {
  if (behaviour.toolCalls !== null) {
    return behaviour.toolCalls.map((tool, at) => ({
      id: `call_${call}_${at}`,
      name: tool.name,
      arguments: tool.arguments ?? '{}',
    }));
  }
  const tools = request.tools ?? [];
  const choice = request.tool_choice;
  const flaws = flawsOf(request.model ?? '');
  if (tools.length === 0 || choice === 'none' || flaws.has('prose-for-tools')) return [];
  const named = typeof choice === 'object' ? choice.function?.name : undefined;
  const answered = request.messages?.at(-1)?.role === 'tool';
  if (named === undefined && choice !== 'required' && (request.model !== 'sim/tools' || answered)) return [];
  const tool = tools.find((each) => each.function?.name === named) ?? tools[0];
  const given = JSON.stringify(filled({ type: 'object', ...tool?.function?.parameters }));
  const text = flaws.has('broken-arguments') ? given.slice(0, -1) : given;
  return [{ id: `call_${call}_0`, name: tool?.function?.name ?? 'tool', arguments: text }];
}
