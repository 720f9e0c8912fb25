/**
 * Finds a member in a JSON text, for validation errors and for edits. Requires valid JSON: it walks the text and checks
 * nothing. A duplicate name means the last one, as in `JSON.parse`.
 */

/** The line, counted from 1, of the innermost member of the path that exists. */
export function lineOf(json: string, path: readonly string[]): number {
  return lineAt(json, innermost(json, path).at);
}

/** Where the value of a path begins and ends in the text; null if there is none. */
export function rangeOf(
  json: string,
  path: readonly string[],
): { readonly begin: number; readonly end: number } | null {
  const { at, found } = innermost(json, path);
  return found === path.length ? { begin: at, end: valueEnd(json, at) } : null;
}

/** The beginning of the innermost value of the path that exists, and how many of its parts do. */
function innermost(json: string, path: readonly string[]): { readonly at: number; readonly found: number } {
  let at = blank(json, 0);
  let found = 0;
  for (const part of path) {
    const next = json[at] === '{' ? memberAt(json, at, part) : json[at] === '[' ? entryAt(json, at, Number(part)) : -1;
    if (next < 0) break;
    at = next;
    found++;
  }
  return { at, found };
}

/** The line of a position in a text, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Index of the value of a name; -1 if the object has no such member. */
function memberAt(json: string, open: number, name: string): number {
  let found = -1;
  let at = blank(json, open + 1);
  while (json[at] !== '}') {
    const end = stringEnd(json, at);
    const key = JSON.parse(json.slice(at, end)) as string;
    const value = blank(json, blank(json, end) + 1);
    if (key === name) found = value;
    at = next(json, value);
  }
  return found;
}

function entryAt(json: string, open: number, index: number): number {
  let at = blank(json, open + 1);
  for (let place = 0; json[at] !== ']'; place++) {
    if (place === index) return at;
    at = next(json, at);
  }
  return -1;
}

/** Index after a value and the comma that may follow it. */
function next(json: string, value: number): number {
  const at = blank(json, valueEnd(json, value));
  return json[at] === ',' ? blank(json, at + 1) : at;
}

function valueEnd(json: string, begin: number): number {
  if (json[begin] === '"') return stringEnd(json, begin);
  if (json[begin] !== '{' && json[begin] !== '[') return literalEnd(json, begin);
  let depth = 0;
  for (let at = begin; ; at++) {
    const char = json[at];
    if (char === '"') at = stringEnd(json, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
}

function stringEnd(json: string, begin: number): number {
  let at = begin + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function literalEnd(json: string, begin: number): number {
  let at = begin;
  while (at < json.length && !',]} \n\r\t'.includes(json[at] as string)) at++;
  return at;
}

function blank(json: string, from: number): number {
  let at = from;
  while (' \n\r\t'.includes(json[at] ?? 'x')) at++;
  return at;
}
