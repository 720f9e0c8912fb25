import { ProviderFailure } from './provider-failure.ts';

/** Text up to this length is parsed without counting values first, because any content of it is cheap. */
const UNCOUNTED_CHARACTERS_MAX = 1024 * 1024;
/** Values in a longer text. Pictures or speech make an answer long; millions of small values would fill the memory. */
const VALUES_MAX = 200_000;

type Members = Readonly<Record<string, unknown>>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Parses a provider's JSON text that must hold an object. Throws `ProviderFailure` for anything else. */
export function parsed(text: string): Members {
  if (text.length > UNCOUNTED_CHARACTERS_MAX && isDense(text)) {
    throw new ProviderFailure('garbage', `more than ${VALUES_MAX} values in one answer`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderFailure('garbage', 'the answer is not JSON');
  }
  return asObject(value);
}

/** Throws `ProviderFailure` with `message` for any value but an object. */
export function asObject(value: unknown, message = 'the answer is not a JSON object'): Members {
  if (typeof value !== 'object' || value === null) throw new ProviderFailure('garbage', message);
  return value as Members;
}

/** The members of an object; of any other value none. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** A text; of any other value none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Counts the characters that begin a value, outside of strings. */
function isDense(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (character === 0x2c || character === 0x5b || character === 0x7b) {
      if (++values > VALUES_MAX) return true;
    }
  }
  return false;
}

/** Index of the closing quote of the string that opens at `from`; -1 if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

const CHARACTERS_MAX = 4_096;

/** The member of a `finish` that names the sequence which ended the answer; none for anything but a short text. */
export function stopSequence(named: unknown): { readonly stopSequence?: string } {
  if (typeof named !== 'string' || named === '' || named.length > CHARACTERS_MAX) return {};
  return { stopSequence: named };
}
