import { invalid } from '../../terms/gateway-error.ts';
import type { AssistantBlock, ReasoningDetail, ToolCall, TurnMessage } from '../../terms/turn.ts';
import { isUsual } from '../request/answer-blocks.ts';
import type { Carried } from '../request/carried.ts';
import { promptLines } from '../request/prompt-lines.ts';
import { flatName } from './flat-tools.ts';
import type { InputItem, InputMessage, InputReasoning } from './input-schema.ts';
import { parseContent, parseSaid } from './parse-parts.ts';
import { openReasoning } from './sealed-reasoning.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;
type Open = { -readonly [member in keyof Assistant]: Assistant[member] } & { toolCalls?: ToolCall[] };
type Thought = Pick<Open, 'reasoning' | 'reasoningDetails'>;

/**
 * Items of a checked request as messages. The items of one turn of the model (reasoning, message, calls) become one
 * message: reasoning belongs to the item behind it, or where the turn ends with it, to the item before. Media is added
 * to `carried` for routing. Throws 400 and 404 for parts without a readable source. (rule I84)
 */
export function parseInput(
  instructions: string | null,
  input: string | readonly InputItem[],
  carried: Carried,
): TurnMessage[] {
  const messages: TurnMessage[] = [];
  // They are the system prompt; a text without a character sets none.
  if (instructions !== null && instructions !== '') messages.push({ role: 'system', text: instructions });
  if (typeof input === 'string') {
    messages.push({ role: 'user', text: input });
    return messages;
  }
  const turn = new AssistantTurn(messages);
  for (const [at, item] of input.entries()) addItem(item, `input[${at}]`, messages, turn, carried);
  turn.end();
  return messages;
}

function addItem(
  item: InputItem,
  member: string,
  messages: TurnMessage[],
  turn: AssistantTurn,
  carried: Carried,
): void {
  switch (item.type) {
    case 'reasoning':
      turn.think(thoughtOf(item, member));
      break;
    case 'function_call':
      turn.call(
        carried.addCall({
          id: item.call_id,
          name: flatName({ name: item.name, namespace: item.namespace ?? null }),
          arguments: item.arguments,
        }),
      );
      break;
    case 'function_call_output': {
      turn.end();
      const output = parseContent(item.output, `${member}.output`, carried);
      messages.push({ role: 'tool', ...output, ...carried.answered(item.call_id) });
      break;
    }
    case 'item_reference':
      throw invalid(`${member}: nothing is retained, so an item_reference names nothing; send the item itself`);
    default:
      addMessage(item, `${member}.content`, messages, turn, carried);
  }
}

function addMessage(
  { role, content }: InputMessage,
  member: string,
  messages: TurnMessage[],
  turn: AssistantTurn,
  carried: Carried,
): void {
  if (role === 'assistant') {
    const { text, refusal } = parseSaid(content, member);
    turn.say(text, refusal);
    return;
  }
  turn.end();
  const parsed = parseContent(content, member, carried);
  messages.push(
    role === 'user' ? { role, ...parsed } : { role: role as 'system' | 'developer', ...promptLines(parsed) },
  );
}

/** The text is repeated in what an earlier answer sealed, so it is read only where nothing is. */
function thoughtOf({ encrypted_content: sealed, content, summary }: InputReasoning, member: string): Thought {
  if (sealed != null && sealed !== '') {
    return { reasoningDetails: openReasoning(sealed, `${member}.encrypted_content`) };
  }
  const texts = content != null && content.length > 0 ? content : (summary ?? []);
  const reasoning = texts.map(({ text }) => text).join('\n\n');
  return reasoning === '' ? {} : { reasoning };
}

/** Gathers the items of one turn of the model. */
class AssistantTurn {
  readonly #messages: TurnMessage[];
  #open: Open | null = null;
  /** Its contents in their order. */
  #blocks: AssistantBlock[] = [];
  /** Reasoning whose item has not followed yet. */
  #pending: Thought = {};

  constructor(messages: TurnMessage[]) {
    this.#messages = messages;
  }

  think({ reasoning, reasoningDetails }: Thought): void {
    addThought(this.#pending, reasoning, reasoningDetails);
  }

  /** A second text is a message of its own, unless calls stand before it: their results must follow them at once. */
  say(text: string | null, refusal: string | null): void {
    if (this.#open !== null && this.#open.text !== null && this.#open.toolCalls === undefined) this.#close();
    const open = this.#begin();
    if (text !== null) {
      open.text = open.text === null ? text : `${open.text}\n\n${text}`;
      this.#blocks.push({ type: 'text', text });
    }
    if (refusal !== null) open.refusal = (open.refusal ?? '') + refusal;
  }

  call(call: ToolCall): void {
    const open = this.#begin();
    open.toolCalls ??= [];
    open.toolCalls.push(call);
    this.#blocks.push({ type: 'call', call });
  }

  /** Called before an item that is not the model's, and after the last item. */
  end(): void {
    const last = hasThought(this.#pending) ? this.#blocks.pop() : undefined;
    if (hasThought(this.#pending)) this.#begin();
    if (last !== undefined) this.#blocks.push(last);
    this.#close();
  }

  #begin(): Open {
    this.#open ??= { role: 'assistant', text: null };
    const { reasoning, reasoningDetails = [] } = this.#pending;
    addThought(this.#open, reasoning, this.#pending.reasoningDetails);
    for (const detail of reasoningDetails) this.#blocks.push({ type: 'reasoning', detail });
    this.#pending = {};
    return this.#open;
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    // Blocks have no refusal.
    if (open.refusal === undefined && !isUsual(this.#blocks)) open.blocks = this.#blocks;
    this.#messages.push(open);
    this.#open = null;
    this.#blocks = [];
  }
}

function addThought(to: Thought, reasoning?: string, details?: readonly ReasoningDetail[]): void {
  if (reasoning !== undefined)
    to.reasoning = to.reasoning === undefined ? reasoning : `${to.reasoning}\n\n${reasoning}`;
  if (details !== undefined) to.reasoningDetails = [...(to.reasoningDetails ?? []), ...details];
}

function hasThought({ reasoning, reasoningDetails }: Thought): boolean {
  return reasoning !== undefined || reasoningDetails !== undefined;
}
