const CHARACTERS_MAX = 8 * 1024;
/** Stands for this site while a path is resolved. */
const HERE = 'http://here.invalid';
/** Where a person is led who came for no particular page. */
export const START_PAGE = '/account';

/** The page to open after the sign-in: a path of this site, whatever the text says; never another site. */
export function nextPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > CHARACTERS_MAX || !text.startsWith('/')) return START_PAGE;
  if (!URL.canParse(text, HERE)) return START_PAGE;
  const { origin, pathname, search } = new URL(text, HERE);
  // A path that begins with two slashes would name a host.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}` : START_PAGE;
}
