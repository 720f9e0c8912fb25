import { MessagesJudge } from '../support/stream/messages-judge.ts';
import { ResponsesJudge } from '../support/stream/responses-judge.ts';
import { StreamJudge } from '../support/stream/stream-judge.ts';
import { type Answered, answered } from './answered.ts';
import type { Scenario } from './scenario.ts';

/** A stream as far as it was read, whatever its dialect. */
interface Judged {
  /** Violations of the dialect's grammar. */
  readonly faults: readonly string[];
  /** Ends seen: `[DONE]`, `message_stop`, or the final response. */
  readonly endings: number;
  /** The error that the stream ended in; null without one. */
  readonly error: object | null;
  /** The content so far. */
  readonly answer: Answered;
}

export interface ReplyJudge {
  feed(text: string): void;
  /** The verdict on a stream that is not finished. */
  left(): Judged;
  end(): Judged;
}

/** The death of a node delays the recording of a charge: the usage may be missing then. */
const RULES = { usageOptional: true } as const;

/** Checks the stream of one request and reads its content. */
export function judgeOf(dialect: Scenario['dialect']): ReplyJudge {
  if (dialect === 'messages') {
    const judge = new MessagesJudge();
    return judging(judge, ({ faults, error, events }) => {
      const endings = error === null ? count(events, 'message_stop') : 1;
      return { faults, error, endings, answer: answerOfBlocks(blocksOf(events)) };
    });
  }
  if (dialect === 'responses') {
    const judge = new ResponsesJudge(RULES);
    return judging(judge, ({ faults, final, events }) => {
      const failed = final?.status === 'failed';
      const error = failed ? (final.error as object) : null;
      const answer = failed ? sentSoFar(events) : wholeAnswer('responses', final ?? {});
      return { faults, error, endings: final === null ? 0 : 1, answer };
    });
  }
  const judge = new StreamJudge({ dialect, ...RULES });
  return judging(judge, ({ faults, error, chunks, dones }) => {
    return { faults, error, endings: dones, answer: answered(chunks) };
  });
}

function judging<V>(
  judge: { feed(text: string): void; left(): V; end(): V },
  read: (verdict: V) => Judged,
): ReplyJudge {
  return { feed: (text) => judge.feed(text), left: () => read(judge.left()), end: () => read(judge.end()) };
}

/** The content of an answer in one piece. */
export function wholeAnswer(dialect: Scenario['dialect'], body: object): Answered {
  if (dialect === 'messages') return answerOfBlocks((body as { content?: readonly Block[] }).content ?? []);
  if (dialect === 'responses') return answerOfItems((body as { output?: readonly Item[] }).output ?? []);
  return answered([body]);
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

type Event = Readonly<Record<string, unknown>> & { readonly type?: unknown };

function count(events: readonly Event[], type: string): number {
  return events.filter((event) => event.type === type).length;
}

/** The blocks of a messages stream, with their deltas. */
function blocksOf(events: readonly Event[]): readonly Block[] {
  const blocks: { type: string; text: string; id?: string; name?: string; json: string }[] = [];
  for (const event of events) {
    const at = event.index as number;
    if (event.type === 'content_block_start') {
      const { type, id, name } = event.content_block as Block;
      blocks[at] = {
        type,
        text: '',
        json: '',
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { name }),
      };
    } else if (event.type === 'content_block_delta') {
      const delta = event.delta as { text?: string; partial_json?: string };
      const block = blocks[at];
      if (block === undefined) continue;
      block.text += delta.text ?? '';
      block.json += delta.partial_json ?? '';
    }
  }
  // No piece of arguments stands for none, as SDKs read it.
  return blocks.map(({ json, ...block }) => ({ ...block, input: json === '' ? {} : json }));
}

function answerOfBlocks(blocks: readonly Block[]): Answered {
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id = '', name = '', input }) => {
        return { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
      }),
    images: blocks.filter(({ type }) => type === 'image').map(({ type }) => type),
  };
}

interface Item {
  readonly type: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

function answerOfItems(items: readonly Item[]): Answered {
  const parts = items.flatMap(({ content = [] }) => content);
  return {
    text: parts.map(({ type, text = '' }) => (type === 'output_text' ? text : '')).join(''),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id = '', name = '', arguments: text = '' }) => ({ id, name, arguments: text })),
    images: parts.filter(({ type }) => type === 'output_image').map(({ type }) => type),
  };
}

/** Whether anything was delivered before a failure: the text of the deltas. */
function sentSoFar(events: readonly Event[]): Answered {
  const text = events.map((event) => (event.type === 'response.output_text.delta' ? String(event.delta) : '')).join('');
  return { text, calls: [], images: [] };
}
