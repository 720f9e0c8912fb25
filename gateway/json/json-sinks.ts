import { JsonText } from '../terms/json-text.ts';

/** What a reader makes of a JSON text. The reader has checked the syntax but for brackets and repeated names. */
export interface JsonSink {
  /** Open containers. */
  readonly depth: number;
  readonly isInList: boolean;
  /** The value is read again: names, strings and numbers are judged then. */
  readonly judgedLater: boolean;
  open(isList: boolean): void;
  /** False if the innermost container is of the other kind. */
  close(isList: boolean): boolean;
  /** False if the innermost object has the name already; a value that follows all the same replaces the first one. */
  name(name: string): boolean;
  value(value: unknown): void;
  /** A comma between members or entries. */
  separate(): void;
}

/** Values of a text by the names that lead to them; `*` is an entry of a list. */
export type Places = readonly (readonly string[])[];

/** The objects of a text that stay text. */
export interface KeptTexts {
  readonly places: Places;
  /** True: another reader judges repeated names, halves of surrogate pairs and the range of numbers in them. */
  readonly judgedLater: boolean;
}

/** Members of requests, in any dialect, that hold a client's JSON Schema. */
const SCHEMA_PLACES: Places = [
  ['tools', '*', 'function', 'parameters'],
  ['response_format', 'json_schema', 'schema'],
  ['tools', '*', 'input_schema'],
  ['output_config', 'format', 'schema'],
  ['tools', '*', 'parameters'],
  ['tools', '*', 'tools', '*', 'parameters'],
  ['text', 'format', 'schema'],
];

export const SCHEMA_TEXTS: KeptTexts = { places: SCHEMA_PLACES, judgedLater: false };

/** Makes objects and lists. */
export class ValueSink implements JsonSink {
  root: unknown;
  readonly judgedLater: boolean;
  readonly #open: (unknown[] | Record<string, unknown>)[] = [];
  /** The name whose value is pending, or open, of each open object. */
  readonly #names: string[] = [];

  constructor(judgedLater = false) {
    this.judgedLater = judgedLater;
  }

  get depth(): number {
    return this.#open.length;
  }

  get isInList(): boolean {
    return Array.isArray(this.#open.at(-1));
  }

  /** True if the next value is at one of these places. */
  isAt(places: Places): boolean {
    return places.some((place) => place.length === this.depth && this.#isAt(place));
  }

  #isAt(place: readonly string[]): boolean {
    let nth = 0;
    return place.every((name, depth) => {
      const isList = Array.isArray(this.#open[depth]);
      return name === '*' ? isList : !isList && this.#names[nth++] === name;
    });
  }

  open(isList: boolean): void {
    const container = isList ? [] : {};
    this.#place(container);
    this.#open.push(container);
  }

  close(isList: boolean): boolean {
    const container = this.#open.pop();
    this.#end();
    return container !== undefined && Array.isArray(container) === isList;
  }

  name(name: string): boolean {
    this.#names.push(name);
    return this.judgedLater || !Object.hasOwn(this.#open.at(-1) as object, name);
  }

  value(value: unknown): void {
    this.#place(value);
    this.#end();
  }

  #place(value: unknown): void {
    const container = this.#open.at(-1);
    if (container === undefined) this.root = value;
    else if (Array.isArray(container)) container.push(value);
    else addMember(container, this.#names.at(-1) as string, value);
  }

  /** The value of a member is complete. */
  #end(): void {
    if (this.depth > 0 && !this.isInList) this.#names.pop();
  }

  separate(): void {}
}

function addMember(object: Record<string, unknown>, name: string, value: unknown): void {
  // Plain assignment would set the object's prototype.
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else object[name] = value;
}

/** A number that every reader refuses. */
const OUT_OF_RANGE = '1e999';
/** Pieces of text that are joined at once. */
const PIECES_MAX = 4_096;

/** Writes the text again, without spaces. */
export class TextSink implements JsonSink {
  readonly judgedLater: boolean;
  /** The names of each open object; null for a list. */
  readonly #open: (Set<string> | null)[] = [];
  #pieces: string[] = [];
  readonly #joined: string[] = [];

  get depth(): number {
    return this.#open.length;
  }

  get isInList(): boolean {
    return this.#open.at(-1) === null;
  }

  constructor({ judgedLater }: Pick<KeptTexts, 'judgedLater'>) {
    this.judgedLater = judgedLater;
  }

  /** The text; to be taken once, after the last container is closed. */
  take(): JsonText {
    this.#joined.push(this.#pieces.join(''));
    return new JsonText(this.#joined.join(''));
  }

  open(isList: boolean): void {
    this.#open.push(isList ? null : new Set());
    this.#write(isList ? '[' : '{');
  }

  close(isList: boolean): boolean {
    const isOfKind = this.isInList === isList;
    this.#open.pop();
    this.#write(isList ? ']' : '}');
    return isOfKind;
  }

  name(name: string): boolean {
    const names = this.#open.at(-1) as Set<string>;
    if (!this.judgedLater) {
      if (names.has(name)) return false;
      names.add(name);
    }
    this.#write(`${JSON.stringify(name)}:`);
    return true;
  }

  value(value: unknown): void {
    this.#write(typeof value === 'number' && !Number.isFinite(value) ? OUT_OF_RANGE : JSON.stringify(value));
  }

  separate(): void {
    this.#write(',');
  }

  #write(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length < PIECES_MAX) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }
}
