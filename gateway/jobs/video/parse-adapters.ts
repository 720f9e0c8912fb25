import { invalid } from '../../terms/gateway-error.ts';
import type { Preferences } from '../../terms/turn.ts';
import type { SelectedAdapter } from '../../terms/video-request.ts';

/** (rule V8) */
const ADAPTERS_MAX = 4;
const NAME_CHARACTERS_MAX = 256;
const STRENGTH_MAX = 100;

type Options = NonNullable<Preferences['options']>;

/** Options travel in the message that creates the job, once for each candidate. */
const OPTIONS_CHARACTERS_MAX = 32 * 1024;

/** The member of `provider.options.<slug>` that selects adapters. */
const ADAPTERS = 'adapters';

interface ParsedOptions {
  readonly adapters: ReadonlyMap<string, readonly SelectedAdapter[]>;
  readonly preferences: Preferences;
}

/**
 * Takes the adapters out of the passthrough options. They fix the provider, so they are accepted only with
 * `provider.only` and without fallbacks. Throws GatewayError 400 naming the member. (rule V8)
 */
export function parseAdapters(preferences: Preferences): ParsedOptions {
  if (exceeds(preferences.options ?? {}, OPTIONS_CHARACTERS_MAX)) {
    throw invalid(`provider.options must have at most ${OPTIONS_CHARACTERS_MAX} characters as JSON`);
  }
  const adapters = new Map<string, readonly SelectedAdapter[]>();
  const options: [string, Options[string]][] = [];
  for (const [slug, given] of Object.entries(preferences.options ?? {})) {
    const { [ADAPTERS]: selected, ...others } = given;
    if (Object.hasOwn(given, ADAPTERS) && selected !== null) {
      adapters.set(slug, adaptersOf(selected, `provider.options.${slug.slice(0, NAME_CHARACTERS_MAX)}.${ADAPTERS}`));
    }
    options.push([slug, others]);
  }
  if (options.length === 0) return { adapters, preferences };
  const [slug] = adapters.keys();
  if (slug !== undefined && (!preferences.only?.length || preferences.allowFallbacks)) {
    const shown = slug.slice(0, NAME_CHARACTERS_MAX);
    throw invalid(`provider.options.${shown}.${ADAPTERS} needs provider.only and provider.allow_fallbacks: false`);
  }
  // Defines own members under any name, so no name can reach a prototype.
  return { adapters, preferences: { ...preferences, options: Object.fromEntries(options) } };
}

function adaptersOf(given: unknown, member: string): readonly SelectedAdapter[] {
  if (!Array.isArray(given)) throw invalid(`${member} must be an array`);
  if (given.length > ADAPTERS_MAX)
    throw invalid(`${member} must have at most ${ADAPTERS_MAX} items, not ${given.length}`);
  const selected = given.map((one, nth) => adapterOf(one, `${member}[${nth}]`));
  selected.forEach(({ id }, nth) => {
    if (selected.findIndex((other) => other.id === id) !== nth) throw invalid(`${member}[${nth}].id repeats ${id}`);
  });
  return selected;
}

function adapterOf(given: unknown, member: string): SelectedAdapter {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(`${member} must be an object`);
  const { id, revision, strength } = given as Readonly<Record<string, unknown>>;
  if (typeof strength !== 'number' || !(Math.abs(strength) <= STRENGTH_MAX)) {
    throw invalid(`${member}.strength must be a number from -${STRENGTH_MAX} to ${STRENGTH_MAX}`);
  }
  return { id: nameOf(id, `${member}.id`), revision: nameOf(revision, `${member}.revision`), strength };
}

function nameOf(given: unknown, member: string): string {
  if (typeof given === 'string' && given !== '' && given.length <= NAME_CHARACTERS_MAX) return given;
  throw invalid(`${member} must be a string of 1 to ${NAME_CHARACTERS_MAX} characters`);
}

/** True where a value has more characters as JSON; stops there, however large it is. Depth is bounded by the body. */
function exceeds(value: unknown, most: number): boolean {
  let left = most;
  const take = (each: unknown): boolean => {
    if (typeof each !== 'object' || each === null) {
      left -= typeof each === 'string' ? each.length + 2 : String(each).length;
      return left >= 0;
    }
    left -= 2;
    const names = Array.isArray(each) ? null : Object.keys(each);
    for (const name of names ?? []) left -= name.length + 4;
    return left >= 0 && Object.values(each).every((inner) => --left >= 0 && take(inner));
  };
  return !take(value);
}
