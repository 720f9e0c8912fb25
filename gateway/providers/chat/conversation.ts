import type { ContentPart, TurnMessage } from '../../terms/turn.ts';
import { addressText, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';

/** What of a conversation has a form here. */
export const FORMS: ConversationForms = {
  names: true,
  marks: false,
  medium: ({ context }) => context === undefined,
  reasoning: () => true,
};

/**
 * The messages of a turn as the `messages` of a chat completion request, in JSON. Several texts of one message stay
 * parts for an endpoint that accepts parts, and are concatenated for others. (measured with two short messages in one
 * body: 0.4 us as text, 1.1 us by way of objects)
 */
export function conversationText(messages: readonly TurnMessage[], acceptsParts: boolean): string {
  return listText(messages, (message) => messageText(message, acceptsParts));
}

interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

function messageText(message: TurnMessage, acceptsParts: boolean): string {
  switch (message.role) {
    case 'assistant':
      return JSON.stringify(wireAssistant(message));
    case 'tool': {
      const content = contentText(message.isError ? failed(message) : message, acceptsParts);
      return `{"role":"tool","content":${content},"tool_call_id":${JSON.stringify(message.toolCallId)}}`;
    }
    default: {
      // `developer` is a newer name for `system` that not every server accepts.
      const role = message.role === 'developer' ? 'system' : message.role;
      return `{"role":"${role}","content":${contentText(message, acceptsParts)}${memberText('name', message.name)}}`;
    }
  }
}

const FAILED = 'Error: ';

/** This dialect has no member for the failure of a tool, so its content begins with the word. */
function failed({ text, parts }: Content): Content {
  const said = `${FAILED}${text}`;
  return parts === undefined ? { text: said } : { text: said, parts: [{ type: 'text', text: FAILED }, ...parts] };
}

/** Undefined members are omitted. Reasoning is sent back unchanged. (rule I38) */
function wireAssistant(message: Extract<TurnMessage, { role: 'assistant' }>): object {
  return {
    role: 'assistant',
    content: message.text ?? (message.toolCalls ? null : ''),
    name: message.name,
    refusal: message.refusal,
    reasoning: message.reasoning,
    reasoning_details: message.reasoningDetails,
    tool_calls: message.toolCalls?.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** Text without parts is the common case. A message with media has no other form than parts. */
function contentText({ text, parts }: Content, acceptsParts: boolean): string {
  const areText = parts === undefined || (!acceptsParts && parts.every(({ type }) => type === 'text'));
  return areText ? JSON.stringify(text) : listText(parts, partText);
}

/** Audio bytes are sent as the `data:` URL of an `audio_url`, in whichever form they arrived. (the same rules) */
function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return `{"type":"text","text":${JSON.stringify(part.text)}}`;
    case 'image':
      return `{"type":"image_url","image_url":{"url":${addressText(part.source)}${memberText('detail', part.detail)}}}`;
    case 'audio':
      return `{"type":"audio_url","audio_url":{"url":${addressText(part.source)}}}`;
    case 'video':
      return `{"type":"video_url","video_url":{"url":${addressText(part.source)}}}`;
    case 'file': {
      const named = part.filename === undefined ? '' : `"filename":${JSON.stringify(part.filename)},`;
      return `{"type":"file","file":{${named}"file_data":${addressText(part.source)}}}`;
    }
  }
}
