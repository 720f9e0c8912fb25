import type { Clock } from '../../actors/runtime/index.ts';
import type { MediaBounds } from '../pricing/media-bounds.ts';
import type { FinishReason, TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import { textHundredths } from '../tokens/text-hundredths.ts';
import { type MeasuredMedia, MediaMeter } from './media-meter.ts';
import { TextTail } from './text-tail.ts';

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
      completionTokens: usage.completionTokens ?? Math.min(ceiling, this.#counted()),
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

  #counted(): number {
    this.#count();
    return Math.ceil((this.#text + Math.max(this.#reasoning, this.#details)) / 100);
  }
}
