/** Where the browser is: a path below `/console` and the query that holds every filter of the page. */
import { useEffect, useState } from 'preact/hooks';

const HOME = '/console';

interface Place {
  /** Begins with a slash; the first page is `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

/** The present place; the component is drawn again when it changes. */
export function usePlace(): Place {
  const [, draw] = useState(0);
  useEffect(() => {
    const changed = (): void => draw((n) => n + 1);
    listeners.add(changed);
    addEventListener('popstate', changed);
    return () => {
      listeners.delete(changed);
      removeEventListener('popstate', changed);
    };
  }, []);
  return placeNow();
}

function placeNow(): Place {
  const path = location.pathname.slice(HOME.length).replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, query: new URLSearchParams(location.search) };
}

/** The whole address of a path of the console. */
export function hrefOf(path: string): string {
  return `${HOME}${path}`;
}

export function go(path: string): void {
  history.pushState(null, '', hrefOf(path));
  for (const listener of listeners) listener();
}

/** Changes filters of the present page in place; a cursor of the old list goes. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const { path, query } = placeNow();
  query.delete('cursor');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', `${hrefOf(path)}${text === '' ? '' : `?${text}`}`);
  for (const listener of listeners) listener();
}

/** The parameters of a path that matches a pattern such as `/actors/:address`; null if it does not. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return found;
}
