/** Amounts, times, ids and names as elements of a page, with the exact value as their title. */
import { type Html, html } from '../html.ts';
import { SHOWN_DIGITS, timeText, usdText } from './format.ts';

/** An amount in a column: six digits behind the point, so that the points stand below each other. */
export function usdCell(exact: string | null): Html {
  if (exact === null) return usd(null);
  const text = usdText(exact);
  const digits = text.includes('<') ? text : text.padEnd(text.indexOf('.') + 1 + SHOWN_DIGITS, '0');
  return html`<span class="money" title="${exact} USD">${digits}</span>`;
}

/** The amount with all its digits as its title. */
export function usd(exact: string | null): Html {
  if (exact === null) return html`<span class="muted" title="No declared price">–</span>`;
  return html`<span class="money" title="${exact} USD">${usdText(exact)}</span>`;
}

/** A store time; its title has the milliseconds. */
export function time(at: number | null): Html {
  if (at === null) return html`<span class="muted">–</span>`;
  const iso = new Date(at).toISOString();
  const [day, clock] = timeText(at).split(' ');
  return html`<time datetime="${iso}" title="${iso}"><span>${day}</span> <span>${clock}</span></time>`;
}

/** A whole id, which a script lets copy. `at` names it on its page. */
export function idText(id: string, at = 'id'): Html {
  return html`<span class="copyable"><code id="${at}">${id}</code><button class="bare" type="button" data-copy="${at}" hidden>Copy<span class="visually-hidden"> the id ${id}</span></button></span>`;
}

/** The short form of an id or an address: its last part, the whole as its title. */
export function shortId(id: string): Html {
  const last = id.slice(id.lastIndexOf('/') + 1);
  return html`<code title="${id}">${last}</code>`;
}

/** A link to the story of a generation. The beginning of its id tells its time, the end tells it apart. */
export function generationLink(id: string): Html {
  const text = id.length <= 20 ? id : `${id.slice(0, 14)}…${id.slice(-6)}`;
  return html`<a href="/account/generations/${id}" title="${id}"><code>${text}</code></a>`;
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari', 'curl'] as const;
const BROWSER_NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;

/** What a person recognises of a browser's description of itself; the description where nothing of it is known. */
export function browserText(agent: string): string {
  if (agent === '') return 'unknown';
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (browser === undefined) return agent.slice(0, 60);
  const name = BROWSER_NAMES[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system === 'Mac OS X' ? 'macOS' : system}`;
}
