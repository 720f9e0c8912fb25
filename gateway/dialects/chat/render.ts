import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { ReplyHead } from './reply-head.ts';
import { usageText } from './usage-text.ts';

interface Message {
  content: string | null;
  reasoning: string;
  refusal: string;
  calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

/**
 * A whole reply as JSON text: all events of a turn, the usage as reported, and the exact charge. `cost: null` means
 * that the accounting could not be closed: then `usage` is left out. (spec: inference, Chat completion reply)
 */
export function render(head: ReplyHead, events: Iterable<TurnEvent>, usage: Usage, cost: string | null): string {
  const message: Message = { content: null, reasoning: '', refusal: '', calls: [] };
  let finish = '"finish_reason":null,"native_finish_reason":null';
  for (const event of events) {
    if (event.type === 'finish') {
      finish = `"finish_reason":"${event.reason}","native_finish_reason":${JSON.stringify(event.native)}`;
    } else {
      gather(message, event);
    }
  }
  const opening = `{"id":${JSON.stringify(head.id)},"object":"chat.completion","created":${head.created},"model":${JSON.stringify(
    head.model,
  )},"provider":${JSON.stringify(head.provider)},"system_fingerprint":null,"choices":[{"index":0,`;
  const closing = cost === null ? '}' : `,"usage":${usageText(usage, cost)}}`;
  return `${opening}"message":${messageText(message)},${finish}}]${closing}`;
}

function gather(message: Message, event: TurnEvent): void {
  switch (event.type) {
    case 'text-delta':
      message.content = message.content === null ? event.text : message.content + event.text;
      break;
    case 'reasoning-delta':
      message.reasoning += event.text;
      break;
    case 'refusal-delta':
      message.refusal += event.text;
      break;
    case 'tool-start':
      message.calls[event.index] = {
        id: event.id,
        type: 'function',
        function: { name: event.name, arguments: '' },
      };
      break;
    case 'tool-delta': {
      const call = message.calls[event.index];
      if (call) call.function.arguments += event.arguments;
      break;
    }
    default:
  }
}

/** A message without tool calls and refusal has text, be it empty; only those two may stand in its place. */
function messageText({ content, reasoning, refusal, calls }: Message): string {
  const instead = calls.length > 0 || refusal !== '';
  return JSON.stringify({
    role: 'assistant',
    content: content ?? (instead ? null : ''),
    refusal: refusal === '' ? null : refusal,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.filter(Boolean) }),
  });
}
