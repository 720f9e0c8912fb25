/**
 * Compression from the middle. The system messages, the earliest user turn and the latest turns are kept; the messages
 * between are dropped, oldest first. A tool call and its results form one piece, which is kept or dropped whole.
 * (rule I120)
 */
import type { TurnMessage } from '../terms/turn.ts';
import { addSize, type PromptSize, type TurnSizes } from '../tokens/prompt-size.ts';

/** Messages that are kept or dropped together. */
interface Piece {
  /** Indexes of its messages, ascending. */
  readonly indexes: number[];
  size: PromptSize;
  isKept: boolean;
}

export interface TrimmableConversation {
  readonly messages: readonly TurnMessage[];
  readonly pieces: readonly Piece[];
  /**
   * Sizes of messages and declarations together: without any droppable piece, with the latest one, with the two latest,
   * and so on up to the whole conversation.
   */
  readonly sizes: readonly PromptSize[];
}

/** Groups a turn's messages into pieces, and marks the pieces that are always kept. `sizes` are those of the turn. */
export function trimmableConversation(messages: readonly TurnMessage[], sizes: TurnSizes): TrimmableConversation {
  const pieces = piecesOf(messages, sizes.messages);
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const last = messages.length - 1;
  for (const piece of pieces) {
    piece.isKept = piece.indexes.some(
      (index) => index === firstUser || index === lastUser || index === last || isInstruction(messages[index]),
    );
  }
  return { messages, pieces, sizes: sizesOf(pieces, sizes.declarations) };
}

function sizesOf(pieces: readonly Piece[], declarations: PromptSize): readonly PromptSize[] {
  let size = declarations;
  for (const piece of pieces) if (piece.isKept) size = addSize(size, piece.size);
  const sizes = [size];
  for (let at = pieces.length - 1; at >= 0; at--) {
    const piece = pieces[at] as Piece;
    if (piece.isKept) continue;
    size = addSize(size, piece.size);
    sizes.push(size);
  }
  return sizes;
}

function isInstruction(message: TurnMessage | undefined): boolean {
  return message?.role === 'system' || message?.role === 'developer';
}

/** A tool result belongs to the newest call before it with its id, whatever lies between. */
function piecesOf(messages: readonly TurnMessage[], sizes: readonly PromptSize[]): Piece[] {
  const pieces: Piece[] = [];
  const callers = new Map<string, Piece>();
  messages.forEach((message, index) => {
    const size = sizes[index] as PromptSize;
    const caller = message.role === 'tool' ? callers.get(message.toolCallId) : undefined;
    if (caller) {
      caller.indexes.push(index);
      caller.size = addSize(caller.size, size);
      return;
    }
    const piece = { indexes: [index], size, isKept: false };
    pieces.push(piece);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) callers.set(id, piece);
  });
  return pieces;
}

/** The kept part of a conversation. */
interface Remainder {
  readonly messages: readonly TurnMessage[];
  readonly size: PromptSize;
}

/**
 * Keeps the mandatory pieces, and the latest of the others as long as everything together `fits`. The first piece that
 * does not fit ends the search, so that the latest turns have no gap. `fits` must hold for every size below one it
 * holds for; it is not called for the mandatory pieces alone.
 */
export function middleOut(
  { messages, pieces, sizes }: TrimmableConversation,
  fits: (size: PromptSize) => boolean,
): Remainder {
  let most = 0;
  let tooMany = sizes.length;
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(sizes[middle] as PromptSize)) most = middle;
    else tooMany = middle;
  }
  const stays = new Uint8Array(messages.length);
  let left = most;
  for (let at = pieces.length - 1; at >= 0; at--) {
    const { isKept, indexes } = pieces[at] as Piece;
    if (!isKept && left-- <= 0) continue;
    for (const index of indexes) stays[index] = 1;
  }
  return { messages: messages.filter((_, index) => stays[index] === 1), size: sizes[most] as PromptSize };
}
