import type { Modality } from '../../../actors/terms/offer.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { TurnMessage } from '../../terms/turn.ts';
import { invalid } from './invalid.ts';
import type { ChatMessage, ChatPart } from './request-schema.ts';

/** Between the text parts of one message: what providers that take plain strings put there themselves. */
const PART_SEPARATOR = '\n';

const MODALITIES = {
  image_url: 'image',
  video_url: 'video',
  audio_url: 'audio',
  input_audio: 'audio',
  file: 'file',
} as const;

/**
 * Messages of a checked request as terms. Text parts become one text; the modality of every other part is added to
 * `carries`, for routing to judge. Throws 400 and 404 for file parts that name no readable document.
 */
export function parseMessages(messages: readonly ChatMessage[], carries: Set<Modality>): TurnMessage[] {
  return messages.map((message, at) => parseMessage(message, at, carries));
}

function parseMessage(message: ChatMessage, at: number, carries: Set<Modality>): TurnMessage {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        text: message.content == null ? (message.refusal ?? null) : joined(message.content),
        ...named(message.name),
        ...(message.tool_calls && message.tool_calls.length > 0
          ? {
              toolCalls: message.tool_calls.map(({ id, function: called }) => ({
                id,
                name: called.name,
                arguments: called.arguments,
              })),
            }
          : {}),
      };
    case 'tool':
      return { role: 'tool', text: joined(message.content), toolCallId: message.tool_call_id };
    case 'user':
      return { role: 'user', text: userText(message.content, at, carries), ...named(message.name) };
    default:
      return { role: message.role, text: joined(message.content), ...named(message.name) };
  }
}

function named(name: string | null | undefined): { name?: string } {
  return name == null ? {} : { name };
}

function joined(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join(PART_SEPARATOR);
}

function userText(content: string | readonly ChatPart[], at: number, carries: Set<Modality>): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  content.forEach((part, index) => {
    if (part.type === 'text') {
      texts.push(part.text);
      return;
    }
    if (part.type === 'file') checkFile(part.file, `messages[${at}].content[${index}].file`);
    carries.add(MODALITIES[part.type]);
  });
  return texts.join(PART_SEPARATOR);
}

/** Nothing can be stored yet, so every `file_id` is one that the account cannot read. (spec: inference, Messages) */
function checkFile(file: Extract<ChatPart, { type: 'file' }>['file'], member: string): void {
  const byId = file.file_id != null;
  const byData = file.file_data != null;
  if (byId && byData) throw invalid(`${member} must name its document by file_id or by file_data, never both`);
  if (!byId && !byData) throw invalid(`${member} must have file_id or file_data`);
  if (byId) {
    throw new GatewayError({
      status: 404,
      type: 'not_found',
      message: `${member}.file_id names no file of this account`,
    });
  }
}
