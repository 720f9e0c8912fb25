/** Every page of the console: its path, its place in the navigation, and what draws it. */
import type { ComponentChild } from 'preact';
import { matchPath } from './client/place.ts';
import { ActorPage } from './pages/actor.tsx';
import { ActorsPage } from './pages/actors.tsx';
import { NowPage } from './pages/now.tsx';

interface PageEntry {
  /** Parts that begin with a colon are parameters. */
  readonly path: string;
  readonly draw: (params: Readonly<Record<string, string>>) => ComponentChild;
  /** In the navigation; absent: reached from another page. */
  readonly nav?: { readonly name: string; readonly group: 'Runtime' | 'Marketplace' | 'Operations' };
}

export const PAGES: readonly PageEntry[] = [
  { path: '/', draw: () => <NowPage />, nav: { name: 'Now', group: 'Runtime' } },
  { path: '/actors', draw: () => <ActorsPage />, nav: { name: 'Actors', group: 'Runtime' } },
  { path: '/actors/:address', draw: ({ address = '' }) => <ActorPage address={address} /> },
];

/** What the present path shows; null: no page has it. */
export function drawPage(path: string): ComponentChild {
  for (const page of PAGES) {
    const params = matchPath(page.path, path);
    if (params !== null) return page.draw(params);
  }
  return null;
}

/** The navigation's entry that a path belongs to. */
export function isWithin(entry: string, path: string): boolean {
  return entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`);
}
