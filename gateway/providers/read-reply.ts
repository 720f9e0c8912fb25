import type { Clock } from '../../actors/runtime/index.ts';
import { JsonScan } from '../json/json-scan.ts';
import type { KeptTexts, Places } from '../json/json-sinks.ts';
import { oneOf, readInShares } from '../json/read-in-shares.ts';
import { BlockBuffer, SpentBuffers } from '../outbound/body-buffers.ts';
import type { OutboundReply } from '../outbound/outbound.ts';
import { arrivalShare, LOOP_TURN_BYTES, loopWork } from '../overload/loop-work.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { asObject, parsed } from './parsed.ts';
import { ProviderFailure } from './provider-failure.ts';

/** What a large reply waits for. */
export interface ReplySharing {
  readonly clock: Clock;
  /** Largest accepted reply. */
  readonly bodyBytesMax: number;
  /** Brackets, braces, colons and commas; absent: `TOKENS_MAX`. */
  readonly tokensMax?: number | undefined;
  /** Resolves, once the node has room for so many bytes, with the function that gives it back. */
  readonly room: (bytes: number) => Promise<() => void>;
}

/** Replies nest as deep as requests, within a few objects of their own. */
const DEPTH_MAX = 128;
/** Brackets, braces, colons and commas: above the values that a reply may have. */
const TOKENS_MAX = 400_000;
/** A reply has no texts that stay text. */
const NO_TEXTS: KeptTexts = { places: [], judgedLater: false };
/** Generated pictures and speech, of chat, of messages and of Gemini. */
const MEDIA: Places = [
  ['choices', '*', 'message', 'images', '*', 'image_url', 'url'],
  ['choices', '*', 'message', 'images', '*', 'image_url'],
  ['choices', '*', 'message', 'audio', 'data'],
  ['content', '*', 'source', 'data'],
  ['candidates', '*', 'content', 'parts', '*', 'inlineData', 'data'],
];

/**
 * The JSON object of a whole reply. One of more than a turn's share of the event loop waits for room and is parsed in
 * shares, as large requests are; long pictures and speech of it are `LongText`. Throws `ProviderFailure`, and what the
 * body throws.
 */
export async function readReply(
  reply: OutboundReply,
  sharing: ReplySharing,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = reply;
  const announced = Number(reply.header('content-length') ?? Number.NaN);
  // Nearly all replies; every further await costs each of them a promise.
  if (announced <= LOOP_TURN_BYTES) return parsed(await body.text());
  const scan = new JsonScan({ depthMax: DEPTH_MAX, tokensMax: sharing.tokensMax ?? TOKENS_MAX });
  const blocks = new BlockBuffer();
  let bytes = 0;
  let isComplex = false;
  let release: (() => void) | null = null;
  try {
    if (announced > LOOP_TURN_BYTES) release = await sharing.room(Math.min(announced, sharing.bodyBytesMax));
    for (let chunks = await body.read(); chunks !== null; chunks = await body.read()) {
      for (const chunk of chunks) {
        if (release !== null) await arrivalShare(sharing.clock, chunk.length);
        bytes += chunk.length;
        blocks.add(chunk);
        isComplex ||= !scan.feed(chunk);
      }
      body.progressed();
      if (bytes <= LOOP_TURN_BYTES) continue;
      if (isComplex) throw new ProviderFailure('garbage', 'the answer is too complex', status);
      release ??= await sharing.room(sharing.bodyBytesMax);
    }
    const whole = blocks.take();
    if (bytes <= LOOP_TURN_BYTES) return parsed(oneOf(whole).toString('utf8'));
    return await readLarge(whole, scan.tokens, sharing);
  } finally {
    release?.();
  }
}

async function readLarge(
  chunks: readonly Uint8Array[],
  tokens: number,
  { clock, tokensMax: valueTokensMax }: ReplySharing,
): Promise<Readonly<Record<string, unknown>>> {
  const loop = loopWork(clock);
  const buffers = new SpentBuffers();
  const spent = (chunk: Uint8Array): void => buffers.passing(chunk);
  const options = { texts: NO_TEXTS, isLenient: true, longStrings: MEDIA, spent, valueTokensMax };
  try {
    return asObject(await readInShares(chunks, { loop, tokens, ...options }));
  } catch (error) {
    if (error instanceof GatewayError) throw new ProviderFailure('garbage', 'the answer is not JSON');
    throw error;
  }
}
