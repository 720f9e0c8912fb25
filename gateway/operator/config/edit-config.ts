/** Adds an entry to the text of a configuration in JSON; what else it holds stays byte for byte. */
import { rangeOf } from '../../catalogue/document/line-of.ts';
import { ConfigError, lineOf } from './config-error.ts';
import { isRecord } from './lay-over.ts';

const UNIT = '  ';

/** The slugs that a configuration declares, in their order. `file` is named in errors. @throws ConfigError */
export function slugsIn(text: string, file: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file}: is not valid JSON (${lineOf(error)}); correct it there`);
  }
  if (!isRecord(value)) throw new ConfigError(`${file}: the value must be an object { ... }`);
  const { providers = [] } = value;
  if (!Array.isArray(providers)) throw new ConfigError(`${file}: providers must be a list [ ... ]; correct it there`);
  return providers.map((one) => (isRecord(one) ? one.slug : undefined));
}

/** The text with the entry behind the other providers. Requires a text that `slugsIn` accepts. */
export function withProvider(text: string, entry: object): string {
  const list = rangeOf(text, ['providers']);
  if (list !== null) return grown(text, list, (indent) => entryText(entry, indent));
  const whole = rangeOf(text, []) as Range;
  return grown(text, whole, (indent) => `"providers": [\n${entryText(entry, indent + UNIT)}\n${indent}]`);
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

/** With one more value at the end of the list or the object of that range; `write` receives its indentation. */
function grown(text: string, { begin, end }: Range, write: (indent: string) => string): string {
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', begin) + 1))?.[0] ?? '';
  const indent = outer + UNIT;
  const inside = text.slice(begin + 1, end - 1).trimEnd();
  const value = write(indent).replace(/^(?! )/, indent);
  const close = text[end - 1];
  if (inside === '') return `${text.slice(0, begin + 1)}\n${value}\n${outer}${close}${text.slice(end)}`;
  const rest = text.slice(begin + 1 + inside.length, end);
  return `${text.slice(0, begin + 1)}${inside},\n${value}${rest.includes('\n') ? rest : `\n${outer}${close}`}${text.slice(end)}`;
}

function entryText(entry: object, indent: string): string {
  const lines = JSON.stringify(entry, null, UNIT.length).split('\n');
  return lines.map((line) => indent + line).join('\n');
}
