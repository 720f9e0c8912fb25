/**
 * In which line of a JSON text a member stands, so that a complaint can send a person there. The text has been parsed
 * before: this walks it and judges nothing. Of a name that stands twice the last is meant, as by `JSON.parse`.
 */

/** Counted from 1; the line of the innermost member on the way that is really there. */
export function lineOf(json: string, path: readonly string[]): number {
  let at = blank(json, 0);
  for (const part of path) {
    const next = json[at] === '{' ? memberAt(json, at, part) : json[at] === '[' ? entryAt(json, at, Number(part)) : -1;
    if (next < 0) break;
    at = next;
  }
  return lineAt(json, at);
}

/** The line of a place in a text, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Where the value of a name begins, -1 when the object has none of it. */
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

/** Behind a value and the comma that may follow it. */
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
