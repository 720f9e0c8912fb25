import type { Clock } from '../../actors/runtime/index.ts';
import type { MediaBounds } from '../pricing/media-bounds.ts';
import type { FinishReason, TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import { textHundredths } from '../tokens/text-hundredths.ts';
import { type MeasuredMedia, MediaMeter } from './media-meter.ts';

/** Characters of the end of an answer that are kept. */
const TAIL_CHARACTERS = 2_048;
/** Shorter repetition is ordinary: the end of a list, closing brackets. */
const RUNAWAY_CHARACTERS_MIN = 256;
const REPEATS_MIN = 3;
/** An end of this many characters is searched for in the text before it. */
const PROBE_CHARACTERS = 32;
/** Places at which it was found that are looked at; ordinary text has none. */
const PLACES_MAX = 32;

/** The end of an answer's text, for the question whether it ended repeating itself. (rule C36) */
export class TextTail {
  #text = '';

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > 2 * TAIL_CHARACTERS) this.#text = this.#text.slice(-TAIL_CHARACTERS);
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** True if the text ends with one passage at least three times in a row, over at least 256 characters. */
  isRunaway(): boolean {
    const tail = this.#text.slice(-TAIL_CHARACTERS);
    if (tail.length < RUNAWAY_CHARACTERS_MIN) return false;
    const start = tail.length - PROBE_CHARACTERS;
    const end = tail.slice(start);
    let place = start;
    for (let places = 0; places < PLACES_MAX && place > 0; places++) {
      place = tail.lastIndexOf(end, place - 1);
      if (place < 0) return false;
      const period = start - place;
      if (periodic(tail, period) >= Math.max(RUNAWAY_CHARACTERS_MIN, REPEATS_MIN * period)) return true;
    }
    return false;
  }
}

/** Length of the longest end of the text that repeats with this period. */
function periodic(text: string, period: number): number {
  let at = text.length - 1;
  while (at >= period && text.charCodeAt(at) === text.charCodeAt(at - period)) at--;
  return text.length - 1 - at + period;
}

const NOTHING: readonly TurnEvent[] = [];
/** Replies of fewer completion tokens are not judged. (rule C31) */
const LONG_REPLY_TOKENS = 256;
const NO_MEDIA: MeasuredMedia = { media: {}, beyond: false };

/** Meters the delivered parts of an answer: enough to charge for it when the provider reports no usage. */
export class UsageMeter {
  finish: { readonly reason: FinishReason; readonly native: string | null } | null = null;
  /** The newest parts, not counted yet: an answer in one piece with reported usage needs no count. */
  #newest: readonly TurnEvent[] = NOTHING;
  /** Hundredths of tokens. */
  #text = 0;
  /** Reasoning arrives plain, in structured details, or as the same words in both. */
  #reasoning = 0;
  #details = 0;
  readonly #speechFormat: string | null;
  #meter: MediaMeter | null = null;
  readonly #tail = new TextTail();

  /** `speechFormat` as the turn requests it; null without speech. */
  constructor(speechFormat: string | null) {
    this.#speechFormat = speechFormat;
  }

  add(events: readonly TurnEvent[]): void {
    this.#count();
    this.#newest = events;
    for (const event of events) this.#observe(event);
  }

  /** The reported counts, and our own for missing ones, never above the size of the hold. */
  billed(usage: Usage, promptCounted: number, ceiling: number): Usage {
    if (usage.promptTokens !== undefined && usage.completionTokens !== undefined) return usage;
    return {
      ...usage,
      promptTokens: usage.promptTokens ?? promptCounted,
      completionTokens: usage.completionTokens ?? Math.min(ceiling, this.counted()),
    };
  }

  /** Images and speech as measured from their bytes; a promise only where that takes decoding. Never rejects. */
  measured(bounds: () => MediaBounds | null, clock: Clock): MeasuredMedia | Promise<MeasuredMedia> {
    return this.#meter === null ? NO_MEDIA : this.#meter.measured(bounds(), clock);
  }

  /** Whether a long reply ended repeating its own tail; null for a short reply and for one without text. */
  runaway(completionTokens: number): boolean | null {
    return completionTokens < LONG_REPLY_TOKENS || this.#tail.isEmpty ? null : this.#tail.isRunaway();
  }

  /** Pixels of the answer's image; null unless it has exactly one, of a readable size. */
  get onlyImagePixels(): number | null {
    return this.#meter === null ? null : this.#meter.onlyImagePixels;
  }

  /** Takes from a part what is needed even when usage is reported. */
  #observe(event: TurnEvent): void {
    if (event.type === 'text-delta') this.#tail.add(event.text);
    else if (event.type === 'finish') this.finish = { reason: event.reason, native: event.native };
    else if (event.type === 'image') this.#media().addImage(event.url);
    else if (event.type === 'audio-delta' && event.data !== undefined) this.#media().addSpeech(event.data);
  }

  #count(): void {
    for (const event of this.#newest) this.#weigh(event);
    this.#newest = NOTHING;
  }

  #weigh(event: TurnEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'refusal-delta':
        this.#text += textHundredths(event.text);
        break;
      case 'reasoning-delta':
        this.#reasoning += textHundredths(event.text);
        break;
      case 'reasoning-detail':
        this.#details += textHundredths(event.detail.text ?? event.detail.summary ?? '');
        break;
      case 'tool-delta':
        this.#text += textHundredths(event.arguments);
        break;
      case 'tool-start':
        this.#text += textHundredths(event.name);
        break;
      case 'audio-delta':
        if (event.transcript !== undefined) this.#text += textHundredths(event.transcript);
        break;
    }
  }

  #media(): MediaMeter {
    this.#meter ??= new MediaMeter(this.#speechFormat);
    return this.#meter;
  }

  /** Tokens of the delivered parts so far, by our own count. */
  counted(): number {
    this.#count();
    return Math.ceil((this.#text + Math.max(this.#reasoning, this.#details)) / 100);
  }
}

/**
 * Providers count some tokens above the ceiling that they were sent; a count above this many times the ceiling is
 * noise.
 */
const PLAUSIBLE_FACTOR = 2;

type Writable = { -readonly [member in keyof Usage]: Usage[member] };

/** The most tokens that a provider may report for a turn. */
export interface UsageBounds {
  readonly promptTokensMax: number;
  readonly completionTokensMax: number;
}

/**
 * The reported usage without implausible counts, which are treated as unreported. A prompt within its bound counts as
 * reported, above the hold if need be: a provider adds a system prompt, or its vocabulary differs from ours. The answer
 * counts as the ceiling that was sent where more is reported, as noise above a factor of it, and parts may not exceed
 * their whole. Returns the same object where every count is plausible. (rule K73)
 */
export function plausibleUsage(usage: Usage, { promptTokensMax, completionTokensMax }: UsageBounds): Usage {
  const { promptTokens, completionTokens } = usage;
  const promptOk = isWithin(promptTokens, promptTokensMax);
  const completionOk = isWithin(completionTokens, completionTokensMax * PLAUSIBLE_FACTOR);
  const isAbove = completionOk && !isWithin(completionTokens, completionTokensMax);
  const cached = (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const spent = (usage.reasoningTokens ?? 0) + (usage.imageTokens ?? 0) + (usage.audioTokens ?? 0);
  const cachedOk = promptOk && isWithin(cached, promptTokens ?? promptTokensMax);
  const spentOk = completionOk && isWithin(spent, Math.min(completionTokens ?? Infinity, completionTokensMax));
  if (cachedOk && spentOk && !isAbove) return usage;
  const kept: Writable = { ...usage };
  if (!promptOk) delete kept.promptTokens;
  if (!completionOk) delete kept.completionTokens;
  if (isAbove) kept.completionTokens = completionTokensMax;
  if (!cachedOk) {
    delete kept.cachedTokens;
    delete kept.cacheWriteTokens;
    delete kept.cacheWrite1hTokens;
  }
  if (!spentOk) {
    delete kept.reasoningTokens;
    delete kept.imageTokens;
    delete kept.audioTokens;
  }
  return kept;
}

function isWithin(count: number | undefined, most: number): boolean {
  return count === undefined || count <= most;
}

/** Rounds recorded milliseconds to a tenth, so that a row does not carry fifteen digits of noise. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
