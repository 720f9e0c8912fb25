/** The frame around every page: navigation, the cluster's name and health, the palette. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import mark from '../pages/kit/assets/mark.svg';
import { type OperatorSession, signOut } from './client/api.ts';
import { go, hrefOf, usePlace } from './client/place.ts';
import { PageFrame } from './kit/layout.tsx';
import { type Command, Palette } from './kit/palette.tsx';
import { drawPage, isWithin, PAGES } from './places.tsx';

const GROUPS = ['Runtime', 'Marketplace', 'Operations'] as const;

export function Shell({ session, ended }: { readonly session: OperatorSession; readonly ended: () => void }) {
  const { path } = usePlace();
  const [isFinding, setFinding] = useState(false);
  const [isNavOpen, setNavOpen] = useState(false);
  useShortcut(() => setFinding(true));
  useEffect(() => setNavOpen(false), [path]);
  useInternalLinks();
  const leave = (): void => void signOut().finally(ended);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top bar">
        <button
          type="button"
          class="menu"
          aria-expanded={isNavOpen}
          aria-controls="nav"
          onClick={() => setNavOpen(!isNavOpen)}
        >
          Menu
        </button>
        <a class="brand" href={hrefOf('/')}>
          <img src={mark} alt="" width="22" height="22" />
          Troupe <span class="muted">{session.cluster}</span>
        </a>
        <button type="button" class="find" onClick={() => setFinding(true)}>
          Find anything <kbd>Ctrl K</kbd>
        </button>
        <span class="person muted">
          {session.name} · {session.role}
        </span>
        <button type="button" class="quiet" onClick={leave}>
          Sign out
        </button>
      </header>
      <Navigation path={path} isOpen={isNavOpen} />
      <main id="main" tabIndex={-1}>
        {drawPage(path) ?? <NoPage path={path} />}
      </main>
      <Palette commands={commandsOf(leave)} open={isFinding} close={() => setFinding(false)} />
    </div>
  );
}

function Navigation({ path, isOpen }: { readonly path: string; readonly isOpen: boolean }) {
  return (
    <nav id="nav" aria-label="Console" class={isOpen ? 'nav open' : 'nav'}>
      {GROUPS.map((group) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {PAGES.filter(({ nav }) => nav?.group === group).map((page) => (
              <li key={page.path}>
                <a href={hrefOf(page.path)} aria-current={isWithin(page.path, path) ? 'page' : undefined}>
                  {page.nav?.name}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NoPage({ path }: { readonly path: string }) {
  return (
    <PageFrame title="There is no such page" what={<code>{path}</code>}>
      <p>
        <a href={hrefOf('/')}>What happens now</a>
      </p>
    </PageFrame>
  );
}

function commandsOf(leave: () => void): readonly Command[] {
  const pages = PAGES.flatMap(({ nav, path }) =>
    nav === undefined ? [] : [{ name: nav.name, hint: nav.group, run: () => go(path) }],
  );
  return [...pages, { name: 'Sign out', hint: 'action', run: leave }];
}

/** Ctrl K, Cmd K, or a slash outside of a field. */
function useShortcut(open: () => void): void {
  // Before the first paint: whoever sees the page can use it.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      const isCtrlK = event.key === 'k' && (event.ctrlKey || event.metaKey);
      if (!isCtrlK && (event.key !== '/' || isField)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** Links within the console change the page without loading it again. */
function useInternalLinks(): void {
  useEffect(() => {
    const clicked = (event: MouseEvent): void => {
      const link = (event.target as Element | null)?.closest('a');
      const href = link?.getAttribute('href');
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (!href || !isPlain || event.defaultPrevented || !href.startsWith(hrefOf('/'))) return;
      event.preventDefault();
      go(href.slice(hrefOf('').length));
    };
    addEventListener('click', clicked);
    return () => removeEventListener('click', clicked);
  }, []);
}
