import type { ToolCall, TurnMessage } from '../terms/turn.ts';
import { ProviderFailure } from './provider-failure.ts';
import type { ProviderRefusal } from './refusal/provider-refusal.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;
export type Prompting = Extract<TurnMessage, { role: 'system' | 'developer' | 'user' }>;

export interface WireTurn {
  readonly role: 'user' | 'assistant';
  /** Never empty. JSON texts. */
  readonly blocks: string[];
}

/** A refusal of content that the wire cannot carry; its place among the messages is not kept. */
export const UNSUPPORTED: ProviderRefusal = { code: 'unsupported_parameter', param: 'messages' };

/** The user's first turn in a conversation that the assistant begins: such wires refuse one without it. */
export const BEGINNING = '(The assistant begins.)';

/**
 * The messages of a turn for a wire whose two parties take turns, with the system texts apart: adjacent messages of one
 * party become one turn, the results of tools are of the user, and a message without blocks is skipped. The last system
 * text is the user's turn where there is no other, because such wires refuse an empty conversation. Throws
 * `ProviderFailure` for one without any content, and what `blocksOf` throws. (rule I71)
 */
export function alternating(
  messages: readonly TurnMessage[],
  blocksOf: (message: TurnMessage) => readonly string[],
): { readonly system: readonly Prompting[]; readonly turns: readonly WireTurn[] } {
  const system: Prompting[] = [];
  const turns: WireTurn[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') system.push(message);
    else if (message.role === 'assistant') {
      if (turns.length === 0) addTo(turns, 'user', blocksOf({ role: 'user', text: BEGINNING }));
      addTo(turns, 'assistant', blocksOf(message === messages.at(-1) ? beginningOf(message) : message));
    } else addTo(turns, 'user', blocksOf(message));
  }
  if (turns.length === 0) addTo(turns, 'user', system.splice(-1).flatMap(blocksOf));
  if (turns.length === 0)
    throw new ProviderFailure('rejected', 'the wire requires a turn with content', null, UNSUPPORTED);
  return { system, turns };
}

function addTo(turns: WireTurn[], role: WireTurn['role'], blocks: readonly string[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.blocks.push(...blocks);
  else turns.push({ role, blocks: [...blocks] });
}

/** The beginning of the answer, which the caller wrote: such wires refuse white space at its end. */
function beginningOf(message: Assistant): Assistant {
  const { text, blocks } = message;
  const trimmed = { ...message, text: text === null ? null : text.trimEnd() };
  const end = blocks?.at(-1);
  if (end?.type !== 'text') return trimmed;
  return { ...trimmed, blocks: [...(blocks ?? []).slice(0, -1), { ...end, text: end.text.trimEnd() }] };
}

/**
 * The arguments of a call for a wire that takes an object: byte for byte, or as the value of one member where the text is
 * no JSON object.
 */
export function inputText({ arguments: text }: ToolCall): string {
  if (isObjectText(text)) return text;
  return text.trim() === '' ? '{}' : JSON.stringify({ arguments: text });
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
