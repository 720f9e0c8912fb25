import type { Clock } from '../../actors/runtime/index.ts';
import type { MediaBounds } from '../pricing/media-bounds.ts';
import type { FinishReason, TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import { textHundredths } from '../tokens/text-hundredths.ts';
import { type MeasuredMedia, MediaMeter } from './media-meter.ts';

const NOTHING: readonly TurnEvent[] = [];
const NO_MEDIA: MeasuredMedia = { media: {}, beyond: false };

/** What of an answer was delivered: enough to charge for it when nobody reports its usage. */
export class UsageMeter {
  finish: { readonly reason: FinishReason; readonly native: string | null } | null = null;
  /** The newest parts, not counted yet: an answer in one piece that reports its usage needs no count. */
  #newest: readonly TurnEvent[] = NOTHING;
  /** Hundredths of tokens. */
  #said = 0;
  /** Reasoning may come plain, in structured details, or as the same words in both. */
  #reasoned = 0;
  #detailed = 0;
  readonly #speechFormat: string | null;
  #meter: MediaMeter | null = null;

  /** `speechFormat` as the turn asks for it; null where it does not. */
  constructor(speechFormat: string | null) {
    this.#speechFormat = speechFormat;
  }

  add(events: readonly TurnEvent[]): void {
    this.#count();
    this.#newest = events;
    for (const event of events) this.#look(event);
  }

  /** The reported counts, and our own for the missing ones, never above what the hold was sized for. */
  billed(usage: Usage, promptCounted: number, ceiling: number): Usage {
    if (usage.promptTokens !== undefined && usage.completionTokens !== undefined) return usage;
    return {
      ...usage,
      promptTokens: usage.promptTokens ?? promptCounted,
      completionTokens: usage.completionTokens ?? Math.min(ceiling, this.#counted()),
    };
  }

  /** Pictures and speech as measured on their bytes; a promise only where that takes reading. Never rejects. */
  measured(bounds: () => MediaBounds | null, clock: Clock): MeasuredMedia | Promise<MeasuredMedia> {
    return this.#meter === null ? NO_MEDIA : this.#meter.measured(bounds(), clock);
  }

  /** What is wanted of a part whatever its words come to. */
  #look(event: TurnEvent): void {
    if (event.type === 'finish') this.finish = { reason: event.reason, native: event.native };
    else if (event.type === 'image') this.#media().addPicture(event.url);
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
        this.#said += textHundredths(event.text);
        break;
      case 'reasoning-delta':
        this.#reasoned += textHundredths(event.text);
        break;
      case 'reasoning-detail':
        this.#detailed += textHundredths(event.detail.text ?? event.detail.summary ?? '');
        break;
      case 'tool-delta':
        this.#said += textHundredths(event.arguments);
        break;
      case 'tool-start':
        this.#said += textHundredths(event.name);
        break;
      case 'audio-delta':
        if (event.transcript !== undefined) this.#said += textHundredths(event.transcript);
        break;
    }
  }

  #media(): MediaMeter {
    this.#meter ??= new MediaMeter(this.#speechFormat);
    return this.#meter;
  }

  #counted(): number {
    this.#count();
    return Math.ceil((this.#said + Math.max(this.#reasoned, this.#detailed)) / 100);
  }
}
