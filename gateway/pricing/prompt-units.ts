import type { Clock } from '../../actors/runtime/index.ts';
import type { PriceKey, Tariff } from '../../actors/terms/tariff.ts';
import { add } from '../../actors/terms/usd.ts';
import { isEmpty } from '../terms/exact-decimal.ts';
import type { Candidate, PromptUnits } from '../terms/plan.ts';
import type { MediaPart, TurnMessage } from '../terms/turn.ts';
import { SpeechMeter } from './speech-meter.ts';

/** Units of the prompt that are counted, each with its price. */
export const COUNTED_UNITS = [
  ['inputCharacters', 'character'],
  ['searches', 'search'],
] as const satisfies readonly (readonly [keyof PromptUnits, PriceKey])[];

/** A search is a query with up to this many documents; longer documents count once per this many tokens. (rule I151) */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;

/** Audio parts of one turn that are measured, and the time spent on them: the parts of a hostile body take longest. */
const AUDIO_PARTS_MAX = 64;
const MEASURING_MS_MAX = 4_000;

/**
 * Measures what prompts consume beside tokens and images, where the endpoint prices it: characters of text, searches and
 * seconds of audio. Each audio part is measured once per turn, before the hold, so that hold and charge rest on the same
 * number. Audio behind a URL is never fetched and therefore unread.
 */
export class PromptMeter {
  readonly #clock: Clock;
  readonly #seconds = new Map<MediaPart, string | null>();
  #startedAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The candidate with its units, where its endpoint prices any. */
  async metered(candidate: Candidate): Promise<Candidate> {
    const { endpoint, messages, prompt } = candidate;
    const units: { -readonly [unit in keyof PromptUnits]: PromptUnits[unit] } = {};
    if (isPriced(endpoint.tariff, 'character')) units.inputCharacters = characters(messages);
    if (isPriced(endpoint.tariff, 'search')) units.searches = searches(messages.length, prompt.counted);
    const audio = isPriced(endpoint.tariff, 'audioSecond') ? audioParts(messages) : [];
    for (const part of audio) {
      const seconds = await this.#secondsOf(part);
      if (seconds === null) units.inputAudioUnread = true;
      else units.inputAudioSeconds = add(units.inputAudioSeconds ?? '0', seconds);
    }
    return isEmpty(units) ? candidate : { ...candidate, promptUnits: units };
  }

  async #secondsOf(part: MediaPart): Promise<string | null> {
    const known = this.#seconds.get(part);
    if (known !== undefined) return known;
    const seconds = await this.#measure(part);
    this.#seconds.set(part, seconds);
    return seconds;
  }

  async #measure({ source }: MediaPart): Promise<string | null> {
    this.#startedAt ??= this.#clock.monotonic();
    const isOver = this.#clock.monotonic() - this.#startedAt > MEASURING_MS_MAX;
    if (source.kind !== 'data' || isOver || this.#seconds.size >= AUDIO_PARTS_MAX) return null;
    const meter = new SpeechMeter(source.mediaType === 'audio/pcm16' ? 'pcm16' : null);
    meter.add(source.base64);
    return (await meter.seconds(this.#clock)) ?? null;
  }
}

/** True where the tariff prices units that only `PromptMeter` measures. */
export function pricesPromptUnits(tariff: Tariff): boolean {
  return COUNTED_UNITS.some(([, key]) => isPriced(tariff, key)) || isPriced(tariff, 'audioSecond');
}

function isPriced(tariff: Tariff, key: PriceKey): boolean {
  return tariff[key] !== undefined || (tariff.overrides?.some((entry) => entry[key] !== undefined) ?? false);
}

function audioParts(messages: readonly TurnMessage[]): readonly MediaPart[] {
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? [] : (message.parts ?? [])));
  return parts.filter((part) => part.type === 'audio') as readonly MediaPart[];
}

/** The most searches that a provider may count: how many documents are long is not known, only the tokens of all. */
function searches(documents: number, tokens: number): number {
  return Math.ceil((documents + Math.floor(tokens / TOKENS_PER_DOCUMENT)) / DOCUMENTS_PER_SEARCH);
}

/** Unicode characters of all message texts as sent; tool declarations and reasoning are not part of them. */
function characters(messages: readonly TurnMessage[]): number {
  let count = 0;
  for (const { text } of messages) if (text !== null) count += text.length - pairs(text);
  return count;
}

/** Surrogate pairs: two units that are one character. */
function pairs(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800;
    if (isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count += 1;
  }
  return count;
}
