type Members = Readonly<Record<string, unknown>>;

/** Frames looked at before it is clear that no two of a stream are alike but for their text. */
const LESSONS_MAX = 4;
/** Frames that one lesson has to spare before another is worth its cost. */
const SPARED_MIN = 8;
/** Stands where the text stood while a lesson is checked; no provider says it. */
const PROBE = '\u0001probe\u0001';
const PROBE_TEXT = JSON.stringify(PROBE);

/** What makes the inside of a JSON string differ from its text, or is no inside. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON text may not hold
const SPECIAL = /["\\\u0000-\u001f]/;

/**
 * The frames of one stream differ, most of the time, by their text alone. Remembers what stands before and behind it in
 * such a frame, so that the next one need not be parsed: one JSON string in the place of another leaves everything
 * else as it was. (measured: 0.08 us a frame, where `JSON.parse` alone takes 0.7)
 */
export class TextFrames {
  readonly #textOfFrame: (frame: Members) => string | null;
  #before = '';
  #behind = '';
  #known = false;
  #lessons = 0;
  #spared = 0;

  /** `textOfFrame` gives the text of a frame that means nothing but that text; null for any other frame. */
  constructor(textOfFrame: (frame: Members) => string | null) {
    this.#textOfFrame = textOfFrame;
  }

  /** The text of a frame like the one remembered; null where it has to be parsed. */
  textOf(data: string): string | null {
    const before = this.#before;
    const behind = this.#behind;
    if (!this.#known || data.length < before.length + behind.length || !data.endsWith(behind)) return null;
    // Cheaper than `startsWith` (measured: 0.04 us against 0.09 us for 180 characters).
    if (data.slice(0, before.length) !== before) return null;
    const inner = data.slice(before.length, data.length - behind.length);
    const text = SPECIAL.test(inner) ? unescaped(inner) : inner;
    if (text !== null) this.#spared++;
    return text;
  }

  /** Looks at a frame that had to be parsed. */
  learn(data: string, frame: Members): void {
    if (this.#lessons >= LESSONS_MAX && this.#spared < SPARED_MIN) return;
    const text = this.#textOfFrame(frame);
    if (text === null || text === '') return;
    this.#lessons++;
    this.#spared = 0;
    const written = JSON.stringify(text);
    const at = data.indexOf(written);
    if (at < 0) return;
    const before = data.slice(0, at);
    const behind = data.slice(at + written.length);
    if (!this.#holds(`${before}${PROBE_TEXT}${behind}`)) return;
    this.#before = `${before}"`;
    this.#behind = `"${behind}`;
    this.#known = true;
  }

  /** It was the text that stood there, and not another string that reads the same. */
  #holds(probed: string): boolean {
    try {
      return this.#textOfFrame(JSON.parse(probed) as Members) === PROBE;
    } catch {
      return false;
    }
  }
}

/** The text of the inside of a JSON string; null where it is none, such as one that ends before. */
function unescaped(inner: string): string | null {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return null;
  }
}
