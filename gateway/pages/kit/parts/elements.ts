/** Elements that several pages share: tables, facts, sections, badges, forms of one button. */

import { type Html, type HtmlValue, html } from '../html.ts';
import { TOKEN_FIELD } from '../same-origin.ts';

/** A heading of a column; `number` aligns its cells to the right. */
type Column = string | { readonly number: string };

export interface TableParts {
  /** What the table lists, for those who hear the page. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly HtmlValue[])[];
  /** Shown in place of a table without rows: what to do next. */
  readonly empty: HtmlValue;
}

export function table({ caption, columns, rows, empty }: TableParts): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const heads = columns.map((column) => html`<th scope="col"${numberClass(column)}>${headOf(column)}</th>`);
  const lines = rows.map((cells) => html`<tr>${cells.map((cell, at) => cellOf(cell, columns[at] ?? ''))}</tr>\n`);
  return html`<section class="table" tabindex="0" aria-label="${caption}"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table></section>`;
}

/** A column of buttons needs no heading for those who see it. */
function headOf(column: Column): HtmlValue {
  const name = nameOf(column);
  return name === '' ? html`<span class="visually-hidden">Action</span>` : name;
}

/** On a narrow screen a row is a block, and each cell names its column. */
function cellOf(cell: HtmlValue, column: Column): Html {
  const name = nameOf(column);
  if (name === '') return html`<td>${cell}</td>`;
  return html`<td data-name="${name}"${numberClass(column)}>${cell}</td>`;
}

function nameOf(column: Column): string {
  return typeof column === 'string' ? column : column.number;
}

function numberClass(column: Column): Html | null {
  return typeof column === 'string' ? null : html` class="number"`;
}

/** Names with their values; a value that is null or false is left out. */
export function facts(pairs: readonly (readonly [string, HtmlValue])[]): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Large figures beside each other. */
export function figures(pairs: readonly (readonly [string, HtmlValue, HtmlValue?])[]): Html {
  const cells = pairs.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${value}</dd>${note !== undefined && html`<dd class="hint">${note}</dd>`}</div>`,
  );
  return html`<dl class="figures">${cells}</dl>`;
}

/** A titled part of a page. */
export function section(title: string, content: Html, more: Html | null = null): Html {
  return html`<section class="panel"><div class="panel-head"><h2>${title}</h2>${more}</div>
${content}
</section>`;
}

type Tone = 'good' | 'warn' | 'bad' | 'plain';
const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  delivered: 'good',
  active: 'good',
  open: 'good',
  done: 'good',
  pending: 'warn',
  validating: 'warn',
  in_progress: 'warn',
  running: 'warn',
  cancelled: 'warn',
  cancelling: 'warn',
  delivering: 'warn',
  waiting: 'warn',
  disabled: 'warn',
  expired: 'warn',
  failed: 'bad',
  revoked: 'bad',
  suspended: 'bad',
  refused: 'bad',
};

/** The status of something, in its own words or in those given. */
export function badge(status: string, words?: string): Html {
  const text = words ?? status.replaceAll('_', ' ');
  const tone = TONES[status] ?? 'plain';
  return tone === 'plain' ? html`<span class="badge">${text}</span>` : html`<span class="badge ${tone}">${text}</span>`;
}

interface ButtonForm {
  readonly action: string;
  readonly token: string;
  readonly label: string;
  readonly isDangerous?: boolean;
  /** What the button acts on, for those who hear it among others of the same label. */
  readonly about?: string;
  /** What the form sends beside the token. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** One button that changes something. */
export function buttonForm({ action, token, label, isDangerous = false, about, fields = {} }: ButtonForm): Html {
  const hidden = Object.entries({ [TOKEN_FIELD]: token, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}" class="inline" data-once>${hidden}<button${isDangerous && html` class="danger"`} type="submit">${label}${about !== undefined && html`<span class="visually-hidden"> ${about}</span>`}</button></form>`;
}

/** How far something is: a bar that assistive technology reads, and the same in words. */
export function progress(done: number, total: number, words: string): Html {
  return html`<div class="progress"><progress max="${total}" value="${done}" aria-label="${words}"></progress><span aria-hidden="true">${words}</span></div>`;
}
