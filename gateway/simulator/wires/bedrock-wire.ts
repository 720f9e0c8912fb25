import { EventStreamCodec } from '@smithy/core/event-streams';
import type { Answer } from '../answer/answer.ts';
import { piecesOf } from '../answer/pieces.ts';
import type { Wire } from '../answer/wire.ts';

const ARGUMENT_PIECE_CHARS = 8;
const SIGNATURE = 'c2ltdWxhdGVk';
const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'guardrail_intervened',
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

/** Converse, as Bedrock answers it. A frame is written as a line with its event's name and its body. */
export const bedrockWire: Wire = {
  stream: { type: 'application/vnd.amazon.eventstream', encode },
  whole: (answer) =>
    JSON.stringify({
      metrics: { latencyMs: 1 },
      output: { message: { role: 'assistant', content: blocksOf(answer).map(({ whole }) => whole) } },
      stopReason: stopOf(answer),
      ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
    }),
  frames,
  failure: (status) => JSON.stringify({ message: `simulated ${status}` }),
  usage: (prompt, completion, total) => `{"inputTokens":${prompt},"outputTokens":${completion},"totalTokens":${total}}`,
  errorFrame: (message) => frame('internalServerException', { message }),
};

function encode(text: string): Uint8Array {
  const lines = text.split('\n').filter((line) => line !== '');
  return Buffer.concat(
    lines.map((line) => {
      const space = Math.max(line.indexOf(' '), 0);
      const name = line.slice(0, space);
      const kind = name.endsWith('Exception') ? 'exception' : 'event';
      const headers = {
        [`:${kind}-type`]: { type: 'string' as const, value: name },
        ':content-type': { type: 'string' as const, value: 'application/json' },
        ':message-type': { type: 'string' as const, value: kind },
      };
      return codec.encode({ headers, body: Buffer.from(line.slice(space + 1)) });
    }),
  );
}

function frame(name: string, members: object): string {
  return `${name} ${JSON.stringify(members)}\n`;
}

/** One block of an answer: its start where it has one, its deltas, and its form in a whole answer. */
interface Block {
  readonly start?: object;
  readonly deltas: readonly object[];
  readonly whole: object;
}

function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const content = [frame('messageStart', { role: 'assistant' })];
  blocksOf(answer).forEach(({ start, deltas }, contentBlockIndex) => {
    const pieces = deltas.map((delta) => frame('contentBlockDelta', { contentBlockIndex, delta }));
    if (start !== undefined) {
      pieces[0] = frame('contentBlockStart', { contentBlockIndex, start }) + (pieces[0] ?? '');
    }
    pieces[pieces.length - 1] += frame('contentBlockStop', { contentBlockIndex });
    content.push(...pieces);
  });
  const usage = answer.usage === null ? {} : { usage: usageOf(answer.usage) };
  const end = frame('messageStop', { stopReason: stopOf(answer) });
  return { content, tail: [end, frame('metadata', { ...usage, metrics: { latencyMs: 1 } })] };
}

function stopOf({ finish, refusal }: Answer): string {
  return refusal === null ? (STOPS[finish] ?? finish) : 'guardrail_intervened';
}

function blocksOf({ reasoning, refusal, chunks, toolCalls }: Answer): readonly Block[] {
  const blocks: Block[] = [];
  if (reasoning.length > 0) {
    const thoughts = reasoning.map((text) => ({ reasoningContent: { text } }));
    const reasoningText = { text: reasoning.join(''), signature: SIGNATURE };
    blocks.push({
      deltas: [...thoughts, { reasoningContent: { signature: SIGNATURE } }],
      whole: { reasoningContent: { reasoningText } },
    });
  }
  const said = refusal === null ? chunks : [refusal];
  if (said.length > 0) blocks.push({ deltas: said.map((text) => ({ text })), whole: { text: said.join('') } });
  for (const { id, name, arguments: given } of toolCalls) {
    const toolUse = { toolUseId: id.replace('call', 'tooluse'), name };
    const pieces = given === '' ? [''] : piecesOf(given, ARGUMENT_PIECE_CHARS);
    blocks.push({
      start: { toolUse },
      deltas: pieces.map((input) => ({ toolUse: { input } })),
      whole: { toolUse: { ...toolUse, input: parsed(given) } },
    });
  }
  return blocks;
}

/** Arguments that are broken on purpose cannot appear in a whole answer, so they become `{}`. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** Cached tokens are not among the input's. */
function usageOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('mark' in usage) return usage;
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = (usage.prompt_tokens_details ?? {}) as {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
  };
  return {
    inputTokens: Number(usage.prompt_tokens) - read - written,
    outputTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  };
}
