/**
 * Compression from the middle: what a conversation is about (its system messages, its earliest user turn) and where it
 * stands (its latest turns) stay, what lies between goes, oldest first. A tool call and its results are one piece, which
 * stays or goes whole. (spec: inference, Routing rules 6)
 */
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { addSize, declarationsSize, messageSize, type PromptSize } from '../tokens/prompt-size.ts';

/** Messages that stay or go together. */
interface Piece {
  /** Places among the messages, ascending. */
  readonly places: number[];
  size: PromptSize;
  isKept: boolean;
}

export interface TrimmableConversation {
  readonly messages: readonly TurnMessage[];
  readonly pieces: readonly Piece[];
  /**
   * Sizes of messages and declarations together: with none of the pieces that may go, with the latest one of them, with
   * the two latest, and so on to the whole.
   */
  readonly sizes: readonly PromptSize[];
}

/** Measures a turn's messages one by one, and finds what belongs together and what always stays. */
export function conversationOf(turn: Turn): TrimmableConversation {
  const { messages } = turn;
  const pieces = piecesOf(messages);
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const last = messages.length - 1;
  for (const piece of pieces) {
    piece.isKept = piece.places.some(
      (place) => place === firstUser || place === lastUser || place === last || isInstruction(messages[place]),
    );
  }
  return { messages, pieces, sizes: sizesOf(pieces, declarationsSize(turn)) };
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

/** Results belong to the newest call before them that has their id, wherever they stand. */
function piecesOf(messages: readonly TurnMessage[]): Piece[] {
  const pieces: Piece[] = [];
  const callers = new Map<string, Piece>();
  messages.forEach((message, place) => {
    const size = messageSize(message);
    const caller = message.role === 'tool' ? callers.get(message.toolCallId) : undefined;
    if (caller) {
      caller.places.push(place);
      caller.size = addSize(caller.size, size);
      return;
    }
    const piece = { places: [place], size, isKept: false };
    pieces.push(piece);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) callers.set(id, piece);
  });
  return pieces;
}

/** What a conversation is cut down to. */
export interface Remainder {
  readonly messages: readonly TurnMessage[];
  readonly size: PromptSize;
}

/**
 * What always stays, and of the rest the latest as far as everything together `fits`: the first piece that does not fit
 * ends it, so that no hole opens between the latest turns. `fits` must hold for every smaller size of one it holds for;
 * what always stays is not asked about.
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
    const { isKept, places } = pieces[at] as Piece;
    if (!isKept && left-- <= 0) continue;
    for (const place of places) stays[place] = 1;
  }
  return { messages: messages.filter((_, place) => stays[place] === 1), size: sizes[most] as PromptSize };
}
