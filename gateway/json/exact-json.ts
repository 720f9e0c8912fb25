import { toJsonNumberText } from '../../actors/terms/usd.ts';

/**
 * Renders JSON in which amounts of money are numbers in full precision: decimal text goes to the wire without passing
 * through a float. Undefined members are left out. (rule K40)
 */
export function renderExact(value: unknown): string {
  if (value instanceof Exact) return value.text;
  if (Array.isArray(value)) return `[${value.map(renderExact).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${JSON.stringify(name)}:${renderExact(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An exact decimal text as a JSON number of the same digits; null stays null. */
export function exactNumber(amount: string | null): unknown {
  return amount === null ? null : new Exact(toJsonNumberText(amount));
}

/** JSON text of ours with exact digits, as a member of a larger value. */
export function exactText(text: string): object {
  return new Exact(text);
}

/** Indents JSON without parsing it: its numbers are exact. */
export function indentJson(text: string): string {
  let depth = 0;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') return `${token}\n${'  '.repeat(++depth)}`;
    if (token === '}' || token === ']') return `\n${'  '.repeat(--depth)}${token}`;
    if (token === ',') return `,\n${'  '.repeat(depth)}`;
    return token === ':' ? ': ' : token;
  });
}
