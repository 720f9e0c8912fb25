import { invalid } from '../../terms/gateway-error.ts';

/** Reads one parameter of a query, undecoded names included once only. Throws GatewayError 400 naming it. */
export function textOf(query: URLSearchParams, name: string): string | null {
  const [value, ...others] = query.getAll(name);
  if (value === undefined) return null;
  if (others.length > 0) throw invalid(`${name} may be given once`);
  return value;
}

/** `true` or `false`, the default. */
export function flagOf(query: URLSearchParams, name: string): boolean {
  const text = textOf(query, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw invalid(`${name} must be true or false`);
  return text === 'true';
}

interface WholeNumberBounds {
  readonly least: number;
  /** Absent: nine digits. */
  readonly most?: number;
}

/** A whole number within its bounds, in decimal digits. */
export function wholeNumber(name: string, text: string, { least, most = Infinity }: WholeNumberBounds): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  const range = most === Infinity ? `a whole number, ${least} or more` : `an integer from ${least} to ${most}`;
  throw invalid(`${name} must be ${range}`);
}

/** The size of a page. */
export function limitOf(
  query: URLSearchParams,
  { most, usual }: { readonly most: number; readonly usual: number },
): number {
  return wholeNumber('limit', textOf(query, 'limit') ?? String(usual), { least: 1, most });
}
