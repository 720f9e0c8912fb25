/**
 * HTML as a tagged template. Every interpolated text is escaped; only the result of another `html` template is inserted
 * as it is, so text of a stranger can never become markup. There is no way to insert raw text. (rule K35)
 */

/** Written HTML. Only `html` makes one. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    let text = strings[0] as string;
    values.forEach((value, at) => {
      text += written(value, text) + strings[at + 1];
    });
    return new Html(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** Null, undefined and false write nothing; a list writes its items one after the other. */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[];

export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.of(strings, values);
}

const SPECIAL = /[&<>"'`]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeHtml(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] as string);
}

/** Attributes that a browser follows: their values must not be able to run a script. */
const LINK = /\s(?:href|src|action|formaction)="$/;
/** A path of this site, a part of this page, or an address on the web. */
const FOLLOWED = /^(?:\/(?![/\\])|[?#]|https?:\/\/)/i;

function written(value: HtmlValue, before: string): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'object') return value instanceof Html ? value.toString() : writtenList(value, before);
  if (isUnquoted(before)) throw new Error('the value of an attribute must be quoted in its template');
  const text = String(value);
  return LINK.test(before.slice(-24)) && !FOLLOWED.test(text) ? '#' : escapeHtml(text);
}

/** True for a value that follows `name=` in a tag, outside quotes. */
function isUnquoted(before: string): boolean {
  if (!before.endsWith('=')) return false;
  const tag = before.slice(before.lastIndexOf('<'));
  return !tag.includes('>') && tag.split('"').length % 2 === 1;
}

function writtenList(values: readonly HtmlValue[], before: string): string {
  return values.map((value) => written(value, before)).join('');
}
