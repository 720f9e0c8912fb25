/** Fields of forms: a label, its control, a hint and what is wrong with the entry. */
import { type Html, html } from '../html.ts';

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface Field {
  readonly name: string;
  readonly title: string;
  /** Absent: the name. A page with two forms tells their fields apart by it. */
  readonly id?: string;
  readonly hint?: string;
  /** What is wrong with the entry. */
  readonly problem?: string | undefined;
}

/** A field to type into. `attributes` are those of its type. */
export function inputField(field: Field, value: string, attributes: Html): Html {
  const { name, id = name } = field;
  return labelled(
    field,
    html`<input id="${id}" name="${name}" value="${value}" ${attributes} autocomplete="off"${described(field)}>`,
  );
}

/** A choice of one. */
export function selectField(field: Field, chosen: string, options: readonly Option[]): Html {
  const { name, id = name } = field;
  const list = options.map(({ value, text }) =>
    value === chosen
      ? html`<option value="${value}" selected>${text}</option>`
      : html`<option value="${value}">${text}</option>`,
  );
  return labelled(field, html`<select id="${id}" name="${name}"${described(field)}>${list}</select>`);
}

function labelled({ name, id = name, title, hint, problem }: Field, control: Html): Html {
  return html`<div class="field"><label for="${id}">${title}</label>${control}
${problem !== undefined && html`<p class="error" id="${id}-error" role="alert">${problem}</p>`}
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`;
}

function described({ name, id = name, hint, problem }: Field): Html | null {
  const ids = [problem === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`].join(' ').trim();
  if (ids === '') return null;
  return html` aria-describedby="${ids}"${problem !== undefined && html` aria-invalid="true"`}`;
}
