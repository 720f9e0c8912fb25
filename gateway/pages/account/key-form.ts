import type { FormFields } from '../../edge/body/form-fields.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { type Html, html } from '../kit/html.ts';
import { inputField, type Option, selectField } from '../kit/parts/fields.ts';

/** What a person enters for a key, as text. */
export interface KeyEntries {
  readonly name: string;
  readonly limit: string;
  readonly window: string;
  readonly expires: string;
}

type EntryName = keyof KeyEntries;
/** What is wrong with an entry, by its name. */
export type EntryProblems = Readonly<Partial<Record<EntryName, string>>>;

export const NO_ENTRIES: KeyEntries = { name: '', limit: '', window: '', expires: '' };

const NAME_MAX = 256;
/** The entry of each member of a key. */
const ENTRIES: readonly (readonly [member: string, entry: EntryName])[] = [
  ['name', 'name'],
  ['limit', 'limit'],
  ['limit_reset', 'window'],
  ['expires_at', 'expires'],
];

export function entriesOf(form: FormFields): KeyEntries {
  const entry = (name: EntryName) => (form.get(name) ?? '').trim();
  return { name: entry('name'), limit: entry('limit'), window: entry('window'), expires: entry('expires') };
}

/** The members of a key as entered, unchecked. */
export function keyMembers({ name, limit, window, expires }: KeyEntries) {
  return {
    name,
    limit: limit === '' ? null : limit,
    limit_reset: window === '' ? null : window,
    expires_at: expires === '' ? null : `${expires}T00:00:00Z`,
  };
}

/** The refusal of one member, at its entry. Throws every other failure. */
export function problemsOf(thrown: unknown): EntryProblems {
  if (!(thrown instanceof GatewayError) || thrown.status !== 400) throw thrown;
  const found = ENTRIES.find(([member]) => thrown.message.startsWith(`${member} `));
  if (found === undefined) throw thrown;
  const [member, entry] = found;
  return { [entry]: `This ${thrown.message.slice(member.length + 1)}` };
}

const RESETS: readonly Option[] = [
  { value: '', text: 'Never' },
  { value: 'daily', text: 'Every day' },
  { value: 'weekly', text: 'Every Monday' },
  { value: 'monthly', text: 'Every month' },
];

interface KeyForm {
  readonly action: string;
  readonly token: string;
  readonly label: string;
  readonly entries: KeyEntries;
  readonly problems: EntryProblems;
}

export function keyForm({ action, token, label, entries, problems }: KeyForm): Html {
  return html`<form method="post" action="${action}" data-once>
<input type="hidden" name="token" value="${token}">
<div class="fields">
${inputField({ name: 'name', title: 'Name', problem: problems.name }, entries.name, html`type="text" maxlength="${NAME_MAX}" required`)}
${inputField({ name: 'limit', title: 'Limit in USD', hint: 'Empty: no limit', problem: problems.limit }, entries.limit, html`type="text" inputmode="decimal"`)}
${selectField({ name: 'window', title: 'Limit resets', hint: 'At 00:00 UTC', problem: problems.window }, entries.window, RESETS)}
${inputField({ name: 'expires', title: 'Expires', hint: 'At 00:00 UTC; empty: never', problem: problems.expires }, entries.expires, html`type="date"`)}
</div>
<div class="actions"><button class="primary" type="submit">${label}</button></div>
</form>`;
}
