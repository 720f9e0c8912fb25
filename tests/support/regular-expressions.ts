/** A regular expression in a source file. */
export interface Written {
  readonly source: string;
  readonly flags: string;
}

/** After these a slash begins an expression; after anything else it divides. */
const BEFORE =
  /(?:^|[([{}=,;:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))$/;
/** Characters before a slash that are examined: the longest of the words above, and one more. */
const BEFORE_CHARACTERS = 12;

/**
 * Every regular expression literal of a TypeScript source, found with a scanner for strings, templates and comments.
 * The scanner throws on unknown syntax, so that no expression is skipped silently.
 */
export function regularExpressions(text: string): readonly Written[] {
  const found: Written[] = [];
  /** Open braces of each `${` that is open, innermost last. */
  const templates: number[] = [];
  let code = '';
  let at = 0;
  const skip = (end: number, token: string): void => {
    if (end < 0) throw new Error(`an open end at ${text.slice(at, at + 40)}`);
    code = `${code.trimEnd()}${token}`.slice(-BEFORE_CHARACTERS);
    at = end;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (text.startsWith('//', at)) at = lineEnd(text, at);
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 2;
    else if (char === "'" || char === '"') skip(stringEnd(text, at, char), "''");
    else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop();
      const end = templateEnd(text, at + 1);
      if (text[end - 1] === '{') templates.push(0);
      skip(end, text[end - 1] === '{' ? '{' : "''");
    } else if (char === '/' && BEFORE.test(code.trimEnd())) {
      const [, source, flags] = LITERAL.exec(text.slice(at, lineEnd(text, at))) ?? [];
      if (source === undefined) throw new Error(`no expression at ${text.slice(at, at + 40)}`);
      found.push({ source, flags: flags ?? '' });
      skip(at + source.length + (flags ?? '').length + 2, "''");
    } else {
      if (char === '{' && templates.length > 0) templates.push((templates.pop() as number) + 1);
      if (char === '}' && templates.length > 0) templates.push((templates.pop() as number) - 1);
      code = (code + char).slice(-BEFORE_CHARACTERS);
      at++;
    }
  }
  return found;
}

const LITERAL = /^\/((?:[^/[\\]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/([a-z]*)/;

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function stringEnd(text: string, at: number, quote: string): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i + 1;
  }
  return -1;
}

/** Index after the closing backtick, or after the brace of the next `${`. */
function templateEnd(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '`') return i + 1;
    else if (text[i] === '$' && text[i + 1] === '{') return i + 2;
  }
  return -1;
}
