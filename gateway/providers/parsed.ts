import { ProviderFailure } from './provider-failure.ts';

/** The object that a provider's JSON text holds. Throws `ProviderFailure` for anything else. */
export function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderFailure('garbage', 'what came is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw new ProviderFailure('garbage', 'what came is no object');
  return value as Readonly<Record<string, unknown>>;
}
