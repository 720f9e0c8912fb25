import { toJsonNumberText } from '../../../actors/terms/usd.ts';

/**
 * JSON text in which amounts of money are numbers with every digit they have: they go from decimal text to the wire
 * without ever being a float. Members that are undefined are left out. (spec: inference, Conventions 2)
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
