import type { NewKey } from '../../../actors/key/changes.ts';
import type { LimitWindow } from '../../../actors/terms/spending.ts';
import { compare, isUsd } from '../../../actors/terms/usd.ts';
import type { FormFields } from '../../edge/body/form-fields.ts';
import { type Html, html } from '../kit/html.ts';
import { inputField, type Option, selectField } from '../kit/parts/fields.ts';

/** What a person enters for a key, as text. */
export interface KeyEntries {
  readonly name: string;
  readonly limit: string;
  readonly window: string;
  readonly expires: string;
  readonly kind: string;
}

export type EntryName = keyof KeyEntries;
/** What is wrong with an entry, by its name. */
export type EntryProblems = Readonly<Partial<Record<EntryName, string>>>;

export type EnteredKey = Pick<NewKey, 'name' | 'limit' | 'limitWindow' | 'expiresAt' | 'kind'>;

export const NO_ENTRIES: KeyEntries = { name: '', limit: '', window: '', expires: '', kind: 'inference' };

const WINDOWS: readonly LimitWindow[] = ['daily', 'weekly', 'monthly'];
const NAME_MAX = 100;
const AMOUNT_CHARACTERS_MAX = 40;
const AMOUNT_HINT = 'An amount in dollars, such as 25 or 0.50';

export function entriesOf(form: FormFields): KeyEntries {
  const entry = (name: EntryName) => (form.get(name) ?? '').trim();
  return {
    ...{ name: entry('name'), limit: entry('limit'), window: entry('window') },
    ...{ expires: entry('expires'), kind: entry('kind') },
  };
}

/** The key as entered, or what is wrong with it. `now` is a store time. */
export function readEntries(entries: KeyEntries, now: number): EnteredKey | { readonly problems: EntryProblems } {
  const { name, limit, window, expires, kind } = entries;
  const expiresAt = expires === '' ? null : Date.parse(`${expires}T00:00:00Z`);
  const limitWindow = WINDOWS.find((one) => one === window) ?? null;
  const problems: Partial<Record<EntryName, string>> = {};
  if (name === '') problems.name = 'A name tells your keys apart';
  if (name.length > NAME_MAX) problems.name = `At most ${NAME_MAX} characters`;
  if (limit !== '' && !isAmount(limit)) problems.limit = AMOUNT_HINT;
  if (limit === '' && limitWindow !== null) problems.limit = 'A limit that resets needs an amount';
  if (window !== '' && limitWindow === null) problems.window = 'Choose one of the list';
  if (expiresAt !== null && !(expiresAt > now)) problems.expires = 'A day that is still to come';
  if (kind !== 'inference' && kind !== 'management') problems.kind = 'Choose one of the list';
  if (Object.keys(problems).length > 0) return { problems };
  return { name, limit: limit === '' ? null : limit, limitWindow, expiresAt, kind: kind as NewKey['kind'] };
}

function isAmount(text: string): boolean {
  return text.length <= AMOUNT_CHARACTERS_MAX && isUsd(text) && compare(text, '0') >= 0;
}

const RESETS: readonly Option[] = [
  { value: '', text: 'Never' },
  { value: 'daily', text: 'Every day' },
  { value: 'weekly', text: 'Every Monday' },
  { value: 'monthly', text: 'Every month' },
];
const KINDS: readonly Option[] = [
  { value: 'inference', text: 'send requests' },
  { value: 'management', text: 'manage keys' },
];

export interface KeyForm {
  readonly action: string;
  readonly token: string;
  readonly label: string;
  readonly entries: KeyEntries;
  readonly problems: EntryProblems;
  /** Absent for a key that exists: what it may do never changes. */
  readonly hasKind: boolean;
}

export function keyForm({ action, token, label, entries, problems, hasKind }: KeyForm): Html {
  return html`<form method="post" action="${action}" data-once>
<input type="hidden" name="token" value="${token}">
<div class="fields">
${inputField({ name: 'name', title: 'Name', problem: problems.name }, entries.name, html`type="text" maxlength="${NAME_MAX}" required`)}
${inputField({ name: 'limit', title: 'Limit in USD', hint: 'Empty: no limit', problem: problems.limit }, entries.limit, html`type="text" inputmode="decimal"`)}
${selectField({ name: 'window', title: 'Limit resets', hint: 'At 00:00 UTC', problem: problems.window }, entries.window, RESETS)}
${inputField({ name: 'expires', title: 'Expires', hint: 'At 00:00 UTC; empty: never', problem: problems.expires }, entries.expires, html`type="date"`)}
${hasKind && selectField({ name: 'kind', title: 'May', problem: problems.kind }, entries.kind, KINDS)}
</div>
<div class="actions"><button type="submit">${label}</button></div>
</form>`;
}
