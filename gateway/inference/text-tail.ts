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
