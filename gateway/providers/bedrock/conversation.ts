import type {
  AssistantBlock,
  CacheTime,
  ContentPart,
  MediaPart,
  ReasoningDetail,
  TurnMessage,
} from '../../terms/turn.ts';
import { alternating, inputText, UNSUPPORTED } from '../alternating.ts';
import { attached, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { isOwnThinking } from '../messages/thinking.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** What of a conversation has a form here. Cache points only where the endpoint declares them. */
export function formsOf(marks: boolean): ConversationForms {
  return {
    names: false,
    marks,
    medium: ({ detail }) => detail === undefined || detail === 'auto',
    reasoning: ({ reasoningDetails }) => reasoningDetails?.every(isOwnThinking) ?? false,
  };
}

/** Formats of media by their media type; of another one the part behind the slash, which is often the format. */
const FORMATS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'image/jpg': 'jpeg',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/x-flv': 'flv',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/mp4': 'm4a',
};

const DOCUMENT_CHARACTERS_MAX = 200;

/** A conversation as the `system` and `messages` of a Converse request, in JSON; null without a system text. */
export function conversation(
  messages: readonly TurnMessage[],
  marks: boolean,
): { readonly system: string | null; readonly messages: string } {
  const blocks = new Blocks(marks);
  const { system, turns } = alternating(messages, (message) => blocks.of(message));
  const prompt = system.flatMap((message) => blocks.of(message));
  return {
    system: prompt.length === 0 ? null : listText(prompt, String),
    messages: listText(turns, ({ role, blocks: each }) => `{"role":"${role}","content":${listText(each, String)}}`),
  };
}

/** A point up to which the provider caches the prompt; five minutes are the service's default. */
export function cachePoint(cacheFor: CacheTime): string {
  return `{"cachePoint":{"type":"default"${cacheFor === '1h' ? ',"ttl":"1h"' : ''}}}`;
}

/** The content blocks of the messages of one request. */
class Blocks {
  readonly #marks: boolean;
  #documents = 0;

  constructor(marks: boolean) {
    this.#marks = marks;
  }

  of(message: TurnMessage): string[] {
    switch (message.role) {
      case 'assistant':
        if (message.blocks !== undefined) return message.blocks.flatMap((block) => this.#assistant(block));
        return [
          ...(message.reasoningDetails ?? []).flatMap(thought),
          ...text(message.text ?? ''),
          ...text(message.refusal ?? ''),
          ...(message.toolCalls ?? []).map(
            (call) =>
              `{"toolUse":{"toolUseId":${JSON.stringify(call.id)},"name":${JSON.stringify(call.name)},"input":${inputText(call)}}}`,
          ),
        ];
      case 'tool':
        return this.#marked([this.#toolResult(message)], message.cacheFor);
      default:
        return withText(this.#content(message));
    }
  }

  #assistant(block: AssistantBlock): string[] {
    if (block.type === 'reasoning') return thought(block.detail);
    if (block.type === 'text') return this.#marked(text(block.text), block.cacheFor);
    const { id, name } = block.call;
    const call = `{"toolUse":{"toolUseId":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${inputText(block.call)}}}`;
    return this.#marked([call], block.cacheFor);
  }

  #toolResult(message: Extract<TurnMessage, { role: 'tool' }>): string {
    const content = this.#content(message);
    const status = message.isError ? ',"status":"error"' : '';
    return `{"toolResult":{"toolUseId":${JSON.stringify(message.toolCallId)},"content":${listText(content, String)}${status}}}`;
  }

  #content({ text: all, parts }: { readonly text: string; readonly parts?: readonly ContentPart[] }): string[] {
    if (parts === undefined) return text(all);
    return parts.flatMap((part) =>
      this.#marked(part.type === 'text' ? text(part.text) : [this.#media(part)], part.cacheFor),
    );
  }

  /** With a cache point behind the blocks that a caller marked. */
  #marked(blocks: string[], cacheFor: CacheTime | undefined): string[] {
    if (this.#marks && cacheFor !== undefined && blocks.length > 0) blocks.push(cachePoint(cacheFor));
    return blocks;
  }

  #media({ type, source, filename, context }: MediaPart): string {
    if (source.kind === 'url')
      throw new ProviderFailure('rejected', 'Converse takes no address of a medium', null, UNSUPPORTED);
    const { mediaType, base64 } = attached(source);
    if (mediaType === null) throw new ProviderFailure('rejected', 'Converse requires a media type', null, UNSUPPORTED);
    const format = JSON.stringify(FORMATS[mediaType] ?? mediaType.slice(mediaType.indexOf('/') + 1));
    // Base64 is already checked and needs no escapes; searching a whole picture for them is slow.
    const members = `"format":${format},"source":{"bytes":"${base64}"}`;
    if (type !== 'file') return `{"${type}":{${members}}}`;
    return `{"document":{"name":${this.#documentName(filename)},${members}${memberText('context', context)}}}`;
  }

  /** Names have few characters and are unlike each other: the service refuses others. */
  #documentName(filename: string | undefined): string {
    const nth = ++this.#documents;
    const name = (filename ?? '')
      .replace(/\.[^.]*$/, '')
      .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim();
    return JSON.stringify(`${name === '' ? 'document' : name.slice(0, DOCUMENT_CHARACTERS_MAX)}-${nth}`);
  }
}

/** None for a blank text, which the service refuses. */
function text(all: string): string[] {
  return all.trim() === '' ? [] : [`{"text":${JSON.stringify(all)}}`];
}

/** The service accepts a document only beside a text. */
function withText(blocks: string[]): string[] {
  const isAlone =
    blocks.some((block) => block.startsWith('{"document"')) && !blocks.some((block) => block.startsWith('{"text"'));
  return isAlone ? [...blocks, '{"text":"See the document."}'] : blocks;
}

/** A piece of earlier thinking, unchanged; none for an entry that no provider of Claude signed. */
function thought(detail: ReasoningDetail): string[] {
  if (!isOwnThinking(detail)) return [];
  if (detail.type === 'reasoning.encrypted') {
    return [`{"reasoningContent":{"redactedContent":${JSON.stringify(detail.data)}}}`];
  }
  const { text: words, signature } = detail;
  return [JSON.stringify({ reasoningContent: { reasoningText: { text: words ?? '', signature } } })];
}
