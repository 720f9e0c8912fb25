import type { AssistantBlock, CacheTime, Tool, Turn, TurnMessage } from '../terms/turn.ts';

/**
 * Marks in one request, that of the whole prompt included. Anthropic, Amazon Bedrock and the servers that pass marks on to
 * them refuse a request with more; Alibaba Cloud reads the last four.
 */
export const MARKS_MAX = 4;

interface Marked {
  readonly cacheFor?: CacheTime;
}

/** The marks for the provider's cache in a turn. */
export function marksIn({ messages, tools, cacheFor }: Turn): number {
  let marks = cacheFor === undefined ? 0 : 1;
  if (tools !== undefined) marks += marksAmong(tools);
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (message.blocks !== undefined) marks += marksAmong(message.blocks);
      continue;
    }
    if (message.parts !== undefined) marks += marksAmong(message.parts);
    if (message.role === 'tool' && message.cacheFor !== undefined) marks += 1;
  }
  return marks;
}

function marksAmong(items: readonly (Marked | AssistantBlock)[]): number {
  let marks = 0;
  for (const item of items) if ('cacheFor' in item && item.cacheFor !== undefined) marks += 1;
  return marks;
}

/**
 * A turn with at most as many marks as a provider accepts: the last ones in the order of the prompt (tools, system texts,
 * messages), since the prefix that ends at a mark contains those of the marks before it.
 */
export function withLastMarks(turn: Turn): Turn {
  if (marksIn(turn) <= MARKS_MAX) return turn;
  const kept = new KeptMarks(turn.cacheFor === undefined ? MARKS_MAX : MARKS_MAX - 1);
  const messages = lastFirst(turn.messages, (message) => (isSystem(message) ? message : kept.inMessage(message)));
  const { tools } = turn;
  return {
    ...turn,
    messages: lastFirst(messages, (message) => (isSystem(message) ? kept.inMessage(message) : message)),
    ...(tools === undefined ? {} : { tools: lastFirst(tools, (tool: Tool) => kept.of(tool)) }),
  };
}

function isSystem({ role }: TurnMessage): boolean {
  return role === 'system' || role === 'developer';
}

/** Keeps the first marks that it meets. */
class KeptMarks {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  of<T extends Marked | AssistantBlock>(item: T): T {
    if (!('cacheFor' in item) || item.cacheFor === undefined || this.#left-- > 0) return item;
    const { cacheFor: _, ...unmarked } = item;
    return unmarked as T;
  }

  inMessage(message: TurnMessage): TurnMessage {
    if (message.role === 'assistant') {
      const { blocks } = message;
      return blocks === undefined ? message : { ...message, blocks: lastFirst(blocks, (block) => this.of(block)) };
    }
    // The result of a tool ends behind its parts.
    const outer = message.role === 'tool' ? this.of(message) : message;
    const { parts } = outer;
    return parts === undefined ? outer : { ...outer, parts: lastFirst(parts, (part) => this.of(part)) };
  }
}

/** Maps a list from its end. */
function lastFirst<T>(items: readonly T[], map: (item: T) => T): readonly T[] {
  return items.toReversed().map(map).reverse();
}
