import type { Closing } from './reply-dialect.ts';

/** The settings under their names in a dialect: `pathOf` gives its path for a path of a chat request. */
export function honouredNames(
  honoured: Closing['honoured'],
  pathOf: (path: string) => string | null,
): Closing['honoured'] {
  return Object.fromEntries(Object.entries(honoured).map(([name, held]) => [pathOf(name) ?? name, held]));
}
