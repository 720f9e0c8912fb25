import type { Clock } from '../../actors/runtime/index.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { utf8Bytes } from './pieces.ts';
import { declarationContents, inputContents, messageContents, type PromptContents } from './prompt-contents.ts';
import { type PromptSize, sizeOf, type TurnSizes } from './prompt-size.ts';
import { countNow, TEXT_BYTES_MIN, TextCounter } from './text-counter.ts';
import { loadedVocabulary, loadVocabulary, type Vocabulary, type VocabularyName } from './vocabulary.ts';

/** The sizes of one turn by each vocabulary of its endpoints. */
export type PromptSizes = ReadonlyMap<VocabularyName, TurnSizes>;

/** What has to be known of a turn's prompt. */
export interface PromptNeeds {
  /** The vocabularies of the endpoints that may serve it. */
  readonly vocabularies: ReadonlySet<VocabularyName>;
  /**
   * The longest window of these endpoints, or the bound of all inputs: beyond it, how long the prompt is decides nothing.
   */
  readonly windowMax: number;
}

/** Prompts with less text are counted at once: most take 0.2 ms, the worst 4 ms. */
const COUNTED_AT_ONCE_BYTES = 4_096;
const MESSAGES_AT_ONCE_MAX = COUNTED_AT_ONCE_BYTES / TEXT_BYTES_MIN;
/** Finding the texts of a message takes 1 us, as long as counting this many bytes: 100,000 messages take 100 ms. */
const MESSAGE_BYTES = 16;

/** The declarations or a message of a turn, with the bytes of its texts. */
interface Contents {
  readonly of: PromptContents;
  readonly bytes: number;
}

/**
 * Measures a turn's prompt by real tokenizers. A promise where the text is long, which is counted in shares of the
 * event loop, or where a vocabulary is not in memory yet.
 */
export function measurePrompt(turn: Turn, needs: PromptNeeds, clock: Clock): PromptSizes | Promise<PromptSizes> {
  if (turn.messages.length > MESSAGES_AT_ONCE_MAX) return measuredInShares(turn, needs, clock);
  const contents = contentsOf(turn);
  const work = contents.reduce((sum, { of, bytes }) => sum + Math.max(bytes, of.texts.length * TEXT_BYTES_MIN), 0);
  if (work > COUNTED_AT_ONCE_BYTES) return measuredInShares(turn, needs, clock);
  for (const name of needs.vocabularies) {
    if (loadedVocabulary(name) === undefined) return measuredInShares(turn, needs, clock);
  }
  return measuredNow(contents, needs);
}

/** Measures a turn's prompt in one go, however long it is. Throws where a vocabulary is not in memory. */
export function measurePromptNow(turn: Turn, needs: PromptNeeds): PromptSizes {
  return measuredNow(contentsOf(turn), needs);
}

function measuredNow(contents: readonly Contents[], { vocabularies }: PromptNeeds): PromptSizes {
  const sizes = new Map<VocabularyName, TurnSizes>();
  for (const name of vocabularies) {
    const vocabulary = loadedVocabulary(name);
    if (vocabulary === undefined) throw new Error(`the vocabulary ${name} is not in memory`);
    sizes.set(name, turnSizes(contents.map((each) => sized(each, vocabulary))));
  }
  return sizes;
}

function sized({ of, bytes }: Contents, vocabulary: Vocabulary): PromptSize {
  let tokens = 0;
  for (const text of of.texts) tokens += countNow(text, vocabulary);
  return sizeOf(of, bytes, tokens);
}

async function measuredInShares(
  turn: Turn,
  { vocabularies, windowMax }: PromptNeeds,
  clock: Clock,
): Promise<PromptSizes> {
  const order = byImportance(turn.messages);
  const sizes = new Map<VocabularyName, TurnSizes>();
  for (const name of vocabularies) {
    const counter = new TextCounter(await loadVocabulary(name), clock, windowMax);
    const measured: PromptSize[] = new Array(order.length);
    for (const at of order) {
      await counter.share(MESSAGE_BYTES);
      const { of, bytes } = contentsAt(turn, at);
      let tokens = 0;
      for (const text of of.texts) tokens += await counter.count(text);
      measured[at] = sizeOf(of, bytes, tokens);
    }
    sizes.set(name, turnSizes(measured));
  }
  return sizes;
}

/** The declarations stand first, then the messages in order. */
function contentsOf(turn: Turn): readonly Contents[] {
  const contents: Contents[] = [];
  for (let at = 0; at <= turn.messages.length; at++) contents.push(contentsAt(turn, at));
  return contents;
}

function contentsAt(turn: Turn, at: number): Contents {
  const message = turn.messages[at - 1];
  const of = message === undefined ? declarationContents(turn) : contentsIn(turn, message);
  return { of, bytes: bytesOf(of) };
}

function contentsIn(turn: Turn, message: TurnMessage): PromptContents {
  return rulesOf(turn).inputs === null ? messageContents(message) : inputContents(message, turn.ranking?.query);
}

function bytesOf({ texts }: PromptContents): number {
  let bytes = 0;
  for (const text of texts) bytes += utf8Bytes(text);
  return bytes;
}

function turnSizes([declarations, ...messages]: readonly PromptSize[]): TurnSizes {
  return { messages, declarations: declarations as PromptSize };
}

/**
 * The indexes of contents in the order in which compression keeps them: declarations, instructions, the first question,
 * then the latest messages. What is estimated because the window is full already is then what compression drops.
 */
function byImportance(messages: readonly TurnMessage[]): readonly number[] {
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const always: number[] = [0];
  const latest: number[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role } = messages[at] as TurnMessage;
    const isKept = at === firstUser || role === 'system' || role === 'developer';
    (isKept ? always : latest).push(at + 1);
  }
  return always.concat(latest);
}
