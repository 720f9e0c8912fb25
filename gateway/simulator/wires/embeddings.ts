import { createHash } from 'node:crypto';
import type { Answer } from '../answer/answer.ts';
import type { ChatRequest } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { chatWire } from './chat-wire.ts';

interface EmbeddingsRequest {
  readonly model?: string;
  readonly input?: Input | readonly Input[];
  readonly dimensions?: number;
  readonly encoding_format?: string;
}

type Input = string | readonly number[] | number;

const WIDTH = 64;
const CHARS_PER_TOKEN = 4;
const HASH_BYTES = 32;

/** Embeddings, as a provider answers them. A directive stands in the last input. */
export const embeddingsDialect = {
  wire: (body: unknown): Wire => wireOf(body as EmbeddingsRequest),
  read: (body: unknown): ChatRequest => {
    const { model = '', input } = body as EmbeddingsRequest;
    return { model, messages: inputsOf(input).map((each) => ({ role: 'user', content: textOf(each) })) };
  },
};

function wireOf(request: EmbeddingsRequest): Wire {
  return {
    ...chatWire,
    whole: (answer) => whole(request, answer),
    usage: (prompt, _completion, total) => `{"prompt_tokens":${prompt},"total_tokens":${total}}`,
  };
}

function whole({ input, dimensions, encoding_format }: EmbeddingsRequest, { model, usage }: Answer): string {
  const data = inputsOf(input).map((each, index) => {
    const vector = vectorOf(each, dimensions ?? WIDTH);
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? encoded(vector) : vector };
  });
  return JSON.stringify({ object: 'list', model, data, ...(usage === null ? {} : { usage: promptOf(usage) }) });
}

/** The usage of an answer without any words. */
function promptOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { prompt_tokens } = usage;
  return prompt_tokens === undefined ? usage : { prompt_tokens, total_tokens: prompt_tokens };
}

function inputsOf(input: EmbeddingsRequest['input']): readonly Input[] {
  if (!Array.isArray(input)) return input === undefined ? [] : [input as string];
  return typeof input[0] === 'number' ? [input as readonly number[]] : (input as readonly Input[]);
}

/** As many characters as the simulator counts as that many tokens. */
function textOf(input: Input): string {
  if (typeof input === 'string') return input;
  return '.'.repeat(CHARS_PER_TOKEN * (Array.isArray(input) ? input.length : 1));
}

/** Entries in [-1, 1) that depend on the input alone: every provider answers a text with the same vector. */
function vectorOf(input: Input, width: number): readonly number[] {
  const vector: number[] = [];
  for (let block = 0; vector.length < width; block++) {
    const hash = createHash('sha256')
      .update(`${block} ${JSON.stringify(input)}`)
      .digest();
    for (let at = 0; at < HASH_BYTES && vector.length < width; at += 2) {
      vector.push(hash.readUInt16BE(at) / 32_768 - 1);
    }
  }
  return vector;
}

function encoded(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
