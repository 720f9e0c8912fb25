import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type {
  AssistantBlock,
  ContentPart,
  MediaPart,
  ReasoningDetail,
  ToolCall,
  TurnMessage,
} from '../../terms/turn.ts';
import { UNSUPPORTED } from '../alternating.ts';
import { addressText, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { goesBack, reasoningItems } from './reasoning-items.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** Providers refuse bytes of a document without a name. */
const UNNAMED = 'document';
/** The dialect has no member for the failure of a tool, so its output begins with the word. */
const FAILED = 'Error: ';

/** What of a conversation has a form here. A document behind an address has no name. */
export function formsOf({ provider }: Pick<Endpoint, 'provider'>): ConversationForms {
  return {
    names: false,
    marks: false,
    medium: ({ source, filename, context }) =>
      context === undefined && (source.kind !== 'url' || filename === undefined),
    reasoning: (message) => goesBack(message, provider.slug),
  };
}

/**
 * Writes conversations as `instructions` and the items of `input`, in JSON. The system texts that begin one are the
 * instructions, unless the provider takes none or nothing else would be left; later ones keep their place. Throws
 * `ProviderFailure` for content that the dialect cannot express.
 */
export function conversationWriter({
  provider,
  target: { wire = {} },
}: Endpoint): (messages: readonly TurnMessage[]) => { readonly instructions: string | null; readonly input: string } {
  const instructs = !wire.omit?.includes('instructions');
  const spelling: Spelling = {
    systemRole: wire.systemRole ?? 'developer',
    reasoned: (details) => reasoningItems(details, provider.slug),
  };
  return (messages) => {
    const leading = instructs ? leadingIn(messages) : 0;
    let input = '';
    for (let at = leading; at < messages.length; at++) {
      for (const item of itemsOf(messages[at] as TurnMessage, spelling)) input += input === '' ? item : `,${item}`;
    }
    if (input === '') {
      throw new ProviderFailure('rejected', 'the wire requires a turn with content', null, UNSUPPORTED);
    }
    return { instructions: instructionsOf(messages, leading), input: `[${input}]` };
  };
}

/** The number of system texts that begin a conversation; 0 where nothing follows them. */
function leadingIn(messages: readonly TurnMessage[]): number {
  for (let at = 0; at < messages.length; at++) {
    const { role } = messages[at] as TurnMessage;
    if (role !== 'system' && role !== 'developer') return at;
  }
  return 0;
}

function instructionsOf(messages: readonly TurnMessage[], leading: number): string | null {
  if (leading === 0) return null;
  let text = messages[0]?.text ?? '';
  for (let at = 1; at < leading; at++) text += `\n\n${messages[at]?.text ?? ''}`;
  return JSON.stringify(text);
}

/** How one endpoint spells a conversation. */
interface Spelling {
  /** The role of system texts. */
  readonly systemRole: string;
  /** The items of earlier reasoning. */
  readonly reasoned: (details: readonly ReasoningDetail[]) => readonly string[];
}

function itemsOf(message: TurnMessage, { systemRole, reasoned }: Spelling): readonly string[] {
  switch (message.role) {
    case 'assistant':
      return assistantItems(message, reasoned);
    case 'tool': {
      const content = contentText(message.isError ? failed(message) : message);
      return [`{"type":"function_call_output","call_id":${JSON.stringify(message.toolCallId)},"output":${content}}`];
    }
    default: {
      const role = message.role === 'user' ? 'user' : systemRole;
      return [`{"type":"message","role":"${role}","content":${contentText(message)}}`];
    }
  }
}

interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

function failed({ text, parts }: Content): Content {
  const said = `${FAILED}${text}`;
  return parts === undefined ? { text: said } : { text: said, parts: [{ type: 'text', text: FAILED }, ...parts] };
}

function contentText({ text, parts }: Content): string {
  return parts === undefined ? JSON.stringify(text) : listText(parts, partText);
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return `{"type":"input_text","text":${JSON.stringify(part.text)}}`;
    case 'image':
      return `{"type":"input_image","image_url":${addressText(part.source)},"detail":${JSON.stringify(part.detail ?? 'auto')}}`;
    case 'file':
      return fileText(part);
    default:
      throw new ProviderFailure('rejected', `responses have no form for ${part.type}`, null, UNSUPPORTED);
  }
}

/** Providers refuse a name beside an address. */
function fileText({ source, filename = UNNAMED }: MediaPart): string {
  if (source.kind === 'url') return `{"type":"input_file","file_url":${addressText(source)}}`;
  return `{"type":"input_file","filename":${JSON.stringify(filename)},"file_data":${addressText(source)}}`;
}

/** The items of an earlier answer. Reasoning stands before the item that it led to, never at the end. */
function assistantItems(message: Assistant, reasoned: Spelling['reasoned']): readonly string[] {
  if (message.blocks !== undefined) return blockItems(message.blocks, reasoned);
  const said = [...saidItems(message.text ?? '', message.refusal), ...(message.toolCalls ?? []).map(callItem)];
  return said.length === 0 ? said : [...reasoned(message.reasoningDetails ?? []), ...said];
}

function blockItems(blocks: readonly AssistantBlock[], reasoned: Spelling['reasoned']): readonly string[] {
  const items: string[] = [];
  let thoughts: ReasoningDetail[] = [];
  for (const block of blocks) {
    if (block.type === 'reasoning') {
      thoughts.push(block.detail);
      continue;
    }
    const said = block.type === 'text' ? saidItems(block.text) : [callItem(block.call)];
    if (said.length === 0) continue;
    items.push(...reasoned(thoughts), ...said);
    thoughts = [];
  }
  if (items.length > 0) items.splice(-1, 0, ...reasoned(thoughts));
  return items;
}

function saidItems(text: string, refusal?: string): string[] {
  const parts: string[] = [];
  if (text !== '') parts.push(`{"type":"output_text","text":${JSON.stringify(text)}}`);
  if (refusal) parts.push(`{"type":"refusal"${memberText('refusal', refusal)}}`);
  return parts.length === 0 ? [] : [`{"type":"message","role":"assistant","content":${listText(parts, String)}}`];
}

function callItem({ id, name, arguments: given }: ToolCall): string {
  const head = `{"type":"function_call","call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
  return `${head},"arguments":${JSON.stringify(given.trim() === '' ? '{}' : given)}}`;
}
