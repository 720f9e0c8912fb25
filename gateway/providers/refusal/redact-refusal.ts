import type { TurnMessage } from '../../terms/turn.ts';

/** What a refusal may quote and an operator must not read: the request as it was sent, and the operator's keys. */
export interface SentRequest {
  /** Null: an upload, whose refusals are withheld. */
  readonly body: string | null;
  readonly messages: readonly TurnMessage[];
  readonly keys: Iterable<string>;
}

/** Characters kept of one refusal. */
export const REFUSAL_CHARACTERS_MAX = 2_048;
/** A common piece of refusal and request that is at least so long is masked. */
const COMMON_CHARACTERS_MIN = 24;
/** Any common piece of that length contains one aligned block of the request. */
const BLOCK_CHARACTERS = COMMON_CHARACTERS_MIN / 2;
/** A longer request is not compared: its refusals are withheld. */
const BODY_CHARACTERS_MAX = 1024 * 1024;
/** Comparisons for one refusal; a text that repeats itself needs more and is withheld. */
const COMPARISONS_MAX = 200_000;
/** Texts of messages that are shorter than a common piece are masked where they occur; shorter ones mean nothing. */
const SHORT_CHARACTERS_MIN = 4;

const KEY_CHARACTERS_MIN = 8;
const MASKED_KEY = '[key]';
const MASKED = '[request]';
const WITHHELD = '[withheld: the refusal cannot be compared with the request]';

/** Members in which servers repeat what they received. */
const ECHOES =
  /"(?:input|flagged_input|prompt|failed_generation|request|body)":\s?(?:"(?:[^"\\]|\\.){0,2048}"?|[\d.-]+)/g;
/** The forms of keys, tokens and addresses. */
const CREDENTIALS = [
  /\b(?:sk|pk|rk|gsk|xai|key|api|ghp|hf)[-_][\w*.-]{6,200}/gi,
  /\bAIza[\w-]{10,100}/g,
  /\bBearer\s[\w.~+/=*-]{6,500}/gi,
  /\b[\w.+-]{1,64}@[\w.-]{1,128}\b/g,
  /[A-Za-z0-9+/_-]{40,}={0,2}/g,
];

/**
 * A raw refusal for the operator: without the operator's keys, anything of their form, and the pieces that the request
 * holds too. At most 23 characters in a row of a request can remain. Pure.
 */
export function redactRefusal(raw: string, { body, messages, keys }: SentRequest): string {
  let text = raw.slice(0, 2 * REFUSAL_CHARACTERS_MAX);
  for (const key of keys) if (key.length >= KEY_CHARACTERS_MIN) text = text.replaceAll(key, MASKED_KEY);
  if (body === null || body.length > BODY_CHARACTERS_MAX) return WITHHELD;
  text = text.replace(ECHOES, (echo) => `${echo.slice(0, echo.indexOf(':') + 1)}"${MASKED}"`);
  const common = withoutCommon(text, body);
  if (common === null) return WITHHELD;
  text = common;
  for (const credential of CREDENTIALS) text = text.replace(credential, MASKED_KEY);
  for (const short of shortTexts(messages)) text = text.replaceAll(short, MASKED);
  return text.slice(0, REFUSAL_CHARACTERS_MAX);
}

/** Masks every piece of the text that the request holds; null where that takes too long. */
function withoutCommon(text: string, body: string): string | null {
  const places = new Map<string, number[]>();
  for (let at = 0; at + BLOCK_CHARACTERS <= text.length; at++) {
    const block = text.slice(at, at + BLOCK_CHARACTERS);
    const known = places.get(block);
    if (known) known.push(at);
    else places.set(block, [at]);
  }
  const masked = new Uint8Array(text.length);
  let comparisons = 0;
  for (let at = 0; at + BLOCK_CHARACTERS <= body.length; at += BLOCK_CHARACTERS) {
    for (const place of places.get(body.slice(at, at + BLOCK_CHARACTERS)) ?? []) {
      let [start, end] = [0, BLOCK_CHARACTERS];
      while (place + start > 0 && at + start > 0 && text[place + start - 1] === body[at + start - 1]) start--;
      while (place + end < text.length && text[place + end] === body[at + end]) end++;
      comparisons += end - start;
      if (comparisons > COMPARISONS_MAX) return null;
      if (end - start >= COMMON_CHARACTERS_MIN) masked.fill(1, place + start, place + end);
    }
  }
  return maskedText(text, masked);
}

function maskedText(text: string, masked: Uint8Array): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    if (masked[at] === 0) out += text[at];
    else if (at === 0 || masked[at - 1] === 0) out += MASKED;
  }
  return out;
}

function shortTexts(messages: readonly TurnMessage[]): readonly string[] {
  const texts = messages.flatMap((message) => [
    message.text ?? '',
    ...(message.role === 'assistant' ? [] : (message.parts ?? [])).map((part) =>
      part.type === 'text' ? part.text : '',
    ),
  ]);
  return texts.filter(({ length }) => length >= SHORT_CHARACTERS_MIN && length < COMMON_CHARACTERS_MIN);
}
