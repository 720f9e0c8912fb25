import { PREFIX } from '../../edge/route.ts';
import { assetPath } from './assets.ts';
import { type Html, html } from './html.ts';

/** A link of the navigation. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** What everybody may see, and what a signed-in person sees of the account. */
const PUBLIC_PLACES: readonly Place[] = [
  { path: '/models', name: 'Models' },
  { path: `${PREFIX}/docs`, name: 'API' },
];
const ACCOUNT_PLACES: readonly Place[] = [{ path: '/account', name: 'Account' }];

interface PageFrame {
  readonly title: string;
  /** Path of the navigation's link that this page belongs to. */
  readonly current?: string;
  /** The signed-in person's account id and anti-forgery token; null without a session. */
  readonly person: { readonly account: string; readonly token: string } | null;
  /** `narrow`: one column for a form or a decision. */
  readonly width?: 'narrow' | 'wide';
  /** Further elements of the head. */
  readonly head?: Html;
  /** What search engines may keep of the page; absent: nothing, they leave it out. */
  readonly listing?: SearchEntry;
  readonly content: Html;
}

/** A page of the public catalogue, as a search engine lists it. */
export interface SearchEntry {
  /** The one address of the page, without what only orders or narrows it. */
  readonly address: string;
  readonly description: string;
}

/** In their order. The console has the first three too. */
const SHEETS = ['tokens.css', 'components.css', 'tables.css', 'site.css', 'charts.css'] as const;

/** A whole page: head, header with navigation, the content in its main landmark, footer. */
export function layout({ title, current, person, width = 'wide', head, listing, content }: PageFrame): Html {
  const places = person === null ? PUBLIC_PLACES : [...PUBLIC_PLACES, ...ACCOUNT_PLACES];
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${listing === undefined ? html`<meta name="robots" content="noindex">` : listed(listing)}
<title>${title} · Troupe</title>
<link rel="icon" href="${assetPath('mark.svg')}" type="image/svg+xml">
${SHEETS.map(
  (sheet) => html`<link rel="stylesheet" href="${assetPath(sheet)}">
`,
)}<script src="${assetPath('page.js')}" defer></script>
<script src="${assetPath('palette.js')}" type="module"></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="bar">
<a class="brand" href="/"><img src="${assetPath('mark.svg')}" alt="" width="22" height="22">Troupe</a>
${places.length > 0 && navigation(places, current)}
<a class="button find" href="/find">Find <kbd hidden>Ctrl K</kbd></a>
${person === null ? SIGN_IN : personBar(person)}
</div>
</header>
<main id="main" class="${width}" tabindex="-1">
${content}
</main>
<footer class="bottom hint">Troupe, a model marketplace behind one API</footer>
${PALETTE}
</body>
</html>
`;
}

function listed({ address, description }: SearchEntry): Html {
  return html`<link rel="canonical" href="${address}">
<meta name="description" content="${description}">`;
}

/** What `palette.js` opens and fills. */
const PALETTE = html`<dialog class="palette" aria-label="Find anything">
<input type="text" role="combobox" aria-label="Find anything" aria-expanded="true" aria-controls="offered" autocomplete="off" placeholder="gen-…, batch_…, a name, a model, a page">
<div id="offered" class="offers" role="listbox" aria-label="What was found" tabindex="-1"></div>
<p class="muted" role="status"></p>
</dialog>`;

const SIGN_IN = html`<a class="button" href="/sign-in">Sign in</a>`;

function navigation(places: readonly Place[], current: string | undefined): Html {
  const links = places.map(({ path, name }) =>
    path === current
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  );
  return html`<nav aria-label="Main"><ul>${links}</ul></nav>`;
}

function personBar({ account, token }: { readonly account: string; readonly token: string }): Html {
  return html`<form class="person" method="post" action="/sign-out">
<input type="hidden" name="token" value="${token}">
<span class="account" title="The account of this session">${account}</span>
<button class="quiet" type="submit">Sign out</button>
</form>`;
}
