import type { Clock } from '../../actors/runtime/index.ts';
import { decimalText } from './decimal-text.ts';
import { speechSeconds } from './speech-seconds.ts';

/** `pcm16` has no header: 24,000 samples a second, one channel, two bytes each, as the chat dialect defines it. */
const PCM16_BYTES_PER_SECOND = 24_000n * 2n;
/** First bytes of speech in a container format. */
const FILES: ReadonlySet<string> = new Set(['RIFF', 'fLaC', 'OggS']);
const MICRO = 1_000_000n;
const MICRO_DIGITS = 6;
/** Bytes of one reply's speech that are buffered: 17 minutes at 128 kbit/s. Longer speech is unread. */
export const SPEECH_BYTES_MAX = 16 * 1_024 * 1_024;

/** Gathers speech that arrives in base64 pieces, and measures its length at the end. Raw samples are not buffered. */
export class SpeechMeter {
  #raw: boolean;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #left = '';

  /** `format` as requested; null without one. */
  constructor(format: string | null) {
    this.#raw = format === 'pcm16';
  }

  /** Pieces concatenate as text; a piece that ends in padding is complete in itself. */
  add(base64: string): void {
    const text = this.#left + base64;
    const whole = text.length - (text.length % 4);
    this.#left = text.slice(whole);
    if (whole > 0) this.#keep(Buffer.from(text.slice(0, whole), 'base64'));
  }

  #keep(bytes: Buffer): void {
    // A provider may send a file although raw samples were requested: its first bytes show it.
    if (this.#bytes === 0 && FILES.has(bytes.toString('latin1', 0, 4))) this.#raw = false;
    this.#bytes += bytes.length;
    if (this.#raw) return;
    if (this.#bytes > SPEECH_BYTES_MAX) this.#pieces = [];
    else this.#pieces.push(bytes);
  }

  /**
   * Seconds as exact decimal text; null when unread; undefined without speech. A promise only where decoding is needed.
   */
  seconds(clock: Clock): string | null | undefined | Promise<string | null> {
    if (this.#bytes === 0) return undefined;
    if (this.#raw) return decimalText((BigInt(this.#bytes) * MICRO) / PCM16_BYTES_PER_SECOND, MICRO_DIGITS);
    if (this.#bytes > SPEECH_BYTES_MAX) return null;
    return speechSeconds(Buffer.concat(this.#pieces), clock);
  }
}
