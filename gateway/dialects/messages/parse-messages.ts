import type { AssistantBlock, ContentPart, ReasoningDetail, ToolCall, TurnMessage } from '../../terms/turn.ts';
import { isUsual } from '../request/answer-blocks.ts';
import type { Carried } from '../request/carried.ts';
import { promptLines } from '../request/prompt-lines.ts';
import type {
  WireAssistantBlock,
  WireContentBlock,
  WireMessage,
  WireTextBlock,
  WireToolResult,
  WireUserBlock,
} from './message-schema.ts';
import { cacheMark, contentOf, type PlacedBlock, parseContent } from './parse-content.ts';
import { redactedDetail, thinkingDetail } from './thinking.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;
type MutableAssistant = { -readonly [member in keyof Assistant]: Assistant[member] };

const BLANK_LINE = '\n\n';

/**
 * The messages of a checked request as terms, with one leading system prompt: that of `system`, and after a blank line
 * each the texts of system turns at any place. Media are added to `carried` for routing. Throws 400 for media without a
 * readable source. (rule I71, rule I72)
 */
export function parseMessages(
  messages: readonly WireMessage[],
  system: string | readonly WireTextBlock[] | null | undefined,
  carried: Carried,
): TurnMessage[] {
  const prompt = system == null ? [] : partsOf(system);
  const turns: TurnMessage[] = [];
  messages.forEach((message, at) => {
    const { content } = message;
    if (message.role === 'system') addAfterBlankLine(prompt, partsOf(content as string | WireTextBlock[]));
    else if (message.role === 'assistant') turns.push(parseAssistant(message.content, carried));
    else if (typeof message.content === 'string') turns.push({ role: 'user', text: message.content });
    else turns.push(...parseUser(message.content, `messages[${at}].content`, carried));
  });
  const lead = promptLines(contentOf(prompt));
  return lead.text === '' ? turns : [{ role: 'system', ...lead }, ...turns];
}

/** One text without marks is a plain string. */
function partsOf(content: string | readonly WireTextBlock[]): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map((block) => ({ type: 'text', text: block.text, ...cacheMark(block) }));
}

/** A plain prompt stays one text; the parts of any other are kept. */
function addAfterBlankLine(prompt: ContentPart[], parts: readonly ContentPart[]): void {
  const [first, ...more] = parts;
  if (first?.type !== 'text') return;
  if (prompt.length === 0) {
    prompt.push(...parts);
    return;
  }
  const [only] = prompt;
  const isPlain = prompt.length === 1 && only?.type === 'text' && only.cacheFor === undefined;
  if (isPlain && more.length === 0 && first.cacheFor === undefined) {
    prompt[0] = { type: 'text', text: only.text + BLANK_LINE + first.text };
  } else prompt.push({ ...first, text: BLANK_LINE + first.text }, ...more);
}

/** Results of tools come first: in a chat conversation they follow their call at once. */
function parseUser(blocks: readonly WireUserBlock[], member: string, carried: Carried): TurnMessage[] {
  const placed = blocks.map((block, at): PlacedBlock<WireUserBlock> => [at, block]);
  const results = placed.filter((each): each is PlacedBlock<WireToolResult> => each[1].type === 'tool_result');
  const own = placed.filter((each): each is PlacedBlock<WireContentBlock> => each[1].type !== 'tool_result');
  const turns: TurnMessage[] = results.map(([at, block]) => parseResult(block, `${member}[${at}].content`, carried));
  if (own.length > 0) turns.push({ role: 'user', ...parseContent(own, member, carried) });
  return turns;
}

function parseResult(block: WireToolResult, member: string, carried: Carried): TurnMessage {
  const { content } = block;
  const parsed = Array.isArray(content)
    ? parseContent(
        content.map((each, at): PlacedBlock<WireContentBlock> => [at, each]),
        member,
        carried,
      )
    : { text: (content as string | null | undefined) ?? '' };
  const failed = block.is_error === true ? { isError: true as const } : {};
  return { role: 'tool', ...parsed, ...carried.answered(block.tool_use_id), ...failed, ...cacheMark(block) };
}

function parseAssistant(content: string | readonly WireAssistantBlock[], carried: Carried): TurnMessage {
  if (typeof content === 'string') return { role: 'assistant', text: content };
  const blocks: AssistantBlock[] = [];
  let unsigned = '';
  for (const block of content) {
    if (block.type === 'thinking' && !block.signature) unsigned += block.thinking;
    else blocks.push(...assistantBlock(block));
  }
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const turned: MutableAssistant = { role: 'assistant', text: texts.length === 0 ? null : texts.join('') };
  const calls = blocks.flatMap((block): ToolCall[] => (block.type === 'call' ? [carried.addCall(block.call)] : []));
  const details = blocks.flatMap((block): ReasoningDetail[] => (block.type === 'reasoning' ? [block.detail] : []));
  if (calls.length > 0) turned.toolCalls = calls;
  if (unsigned !== '') turned.reasoning = unsigned;
  if (details.length > 0) turned.reasoningDetails = details;
  if (!isUsual(blocks)) turned.blocks = blocks;
  return turned;
}

/** None for a picture. */
function assistantBlock(block: WireAssistantBlock): AssistantBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...cacheMark(block) }];
    case 'thinking': {
      const detail = thinkingDetail(block.thinking, block.signature);
      return detail === null ? [] : [{ type: 'reasoning', detail }];
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', detail: redactedDetail(block.data) }];
    case 'tool_use': {
      const call = { id: block.id, name: block.name, arguments: JSON.stringify(block.input ?? {}) };
      return [{ type: 'call', call, ...cacheMark(block) }];
    }
    case 'image':
      return [];
  }
}
