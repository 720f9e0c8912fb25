import {
  type AssistantBlock,
  RESPONSES_FORMAT,
  type ReasoningDetail,
  SIGNED_THINKING,
  type ToolCall,
} from '../../terms/turn.ts';

/** The kinds of blocks in the order in which an answer is written without `blocks`. */
const USUAL_ORDER = ['reasoning', 'text', 'call'] as const;

/** Reasoning, at most one text, calls, and no marks: the members of a message say the same without `blocks`. */
export function isUsual(blocks: readonly AssistantBlock[]): boolean {
  let reached = 0;
  let texts = 0;
  for (const block of blocks) {
    if (block.type !== 'reasoning' && block.cacheFor !== undefined) return false;
    if (block.type === 'text' && ++texts > 1) return false;
    const place = USUAL_ORDER.indexOf(block.type);
    if (place < reached) return false;
    reached = place;
  }
  return true;
}

/** The formats of reasoning whose `index` is its place among all contents of the answer. */
const PLACED: ReadonlySet<unknown> = new Set([SIGNED_THINKING, RESPONSES_FORMAT]);

/**
 * The contents of an answer in their order, where a dialect sends reasoning, text and calls in three members: a gap between
 * the indexes of two entries is what the model said or called between them. Null where that is the usual order.
 */
export function placedBlocks(
  text: string | null,
  calls: readonly ToolCall[],
  details: readonly ReasoningDetail[],
): readonly AssistantBlock[] | null {
  if (details.length < 2 || !details.every(({ format }) => PLACED.has(format))) return null;
  const others: AssistantBlock[] = [
    ...(text ? [{ type: 'text', text } as const] : []),
    ...calls.map((call) => ({ type: 'call', call }) as const),
  ];
  const blocks: AssistantBlock[] = [];
  let next = details[0]?.index ?? 0;
  for (const detail of details) {
    const { index = next } = detail;
    blocks.push(...others.splice(0, Math.max(0, index - next)), { type: 'reasoning', detail });
    next = index + 1;
  }
  blocks.push(...others);
  return isUsual(blocks) ? null : blocks;
}
