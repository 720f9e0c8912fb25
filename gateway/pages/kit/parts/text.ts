/** How amounts, counts, sizes and times read on a page. All pure; no amount passes through a float. */
import { type Html, html } from '../html.ts';

/** Digits behind the point that a page shows; the exact amount is the element's title. */
const SHOWN_DIGITS = 6;
const LEAST_DIGITS = 2;

/** An exact decimal amount of USD, cut to six digits behind the point: `$12.50`, `-$0.000041`, `< $0.000001`. */
export function usdText(exact: string): string {
  const isNegative = exact.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? exact.slice(1) : exact).split('.');
  const shown = fraction.slice(0, SHOWN_DIGITS).replace(/0+$/, '').padEnd(LEAST_DIGITS, '0');
  const isTiny = /^0*$/.test(whole) && /^0*$/.test(shown) && /[1-9]/.test(fraction);
  const sign = isNegative ? '-' : '';
  return isTiny ? `${sign}< $0.000001` : `${sign}$${grouped(whole)}.${shown}`;
}

/** An amount with all its digits, and cents where there are none: `12.50`. For a decision that depends on it. */
export function exactUsdText(amount: string): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  return `${whole}.${decimals.padEnd(2, '0')}`;
}

/** An amount in a column: six digits behind the point, so that the points stand below each other. */
export function usdCell(exact: string | null): Html {
  if (exact === null) return usd(null);
  const text = usdText(exact);
  const digits = text.includes('<') ? text : text.padEnd(text.indexOf('.') + 1 + SHOWN_DIGITS, '0');
  return html`<span class="money" title="${exact} USD">${digits}</span>`;
}

/** The amount with all its digits as its title. */
export function usd(exact: string | null): Html {
  if (exact === null) return html`<span class="none" title="No declared price">–</span>`;
  return html`<span class="money" title="${exact} USD">${usdText(exact)}</span>`;
}

/** `12,345`. */
export function countText(count: number): string {
  return grouped(String(count));
}

/** Digits in groups of three. */
function grouped(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1_024;

/** `812 bytes`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= STEP && unit < UNITS.length - 1; unit++) size /= STEP;
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** `850 ms`, `12.3 s`, `4 min 10 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A store time to the second, in UTC: `2026-11-24 11:40:20`. */
export function timeText(at: number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** A store time; its title has the milliseconds. */
export function time(at: number | null): Html {
  if (at === null) return html`<span class="none">–</span>`;
  const iso = new Date(at).toISOString();
  const [day, clock] = timeText(at).split(' ');
  return html`<time datetime="${iso}" title="${iso}"><span>${day}</span> <span>${clock}</span></time>`;
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
