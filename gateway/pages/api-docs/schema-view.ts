/**
 * A JSON schema as a reader wants it: each member with its type and bounds in words, whether it is required, and what it
 * means. Members of members are folded away.
 */
import { type Html, html } from '../kit/html.ts';
import { countText } from '../kit/parts/format.ts';
import type { Schema } from './published.ts';

/** What a value of the schema looks like. */
export function schemaView(schema: Schema): Html {
  return html`${schema.properties === undefined && html`<p><span class="type">${typeText(schema)}</span></p>`}${inner(schema)}`;
}

/** The members of an object, or of what a list or a choice holds; nothing for a plain value. */
function inner(schema: Schema): Html | null {
  const { properties, items, patternProperties, anyOf } = schema;
  if (properties !== undefined) return members(properties, schema.required ?? []);
  if (items !== undefined) return inner(items);
  const byName = Object.values(patternProperties ?? {})[0];
  if (byName !== undefined) return inner(byName);
  const forms = formsOf(anyOf ?? []);
  if (forms.length === 1) return inner(forms[0] as Schema);
  const shown = forms.map((form) => ({ form, content: inner(form) })).filter(({ content }) => content !== null);
  if (shown.length === 0) return null;
  return html`${shown.map(({ form, content }) => html`<details><summary>${formName(form)}</summary>${content}</details>`)}`;
}

function members(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Html | null {
  const list = Object.entries(properties).map(([name, schema]) => member(name, schema, required.includes(name)));
  return list.length === 0 ? null : html`<ul class="members">${list}</ul>`;
}

function member(name: string, schema: Schema, isRequired: boolean): Html {
  const { description } = schema;
  const content = inner(schema);
  return html`<li><p><code>${name}</code> <span class="type">${typeText(schema)}</span>${isRequired && html` <span class="badge">required</span>`}</p>
${description !== undefined && html`<p>${words(description)}</p>`}
${content !== null && html`<details><summary>Members<span class="visually-hidden"> of ${name}</span></summary>${content}</details>`}</li>
`;
}

/** `string, 1 to 256 characters`, `list of integers, at most 20`, `"auto" or "none"`. */
export function typeText(schema: Schema): string {
  const { type, items, anyOf, patternProperties } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (anyOf !== undefined) return unionText(anyOf);
  if (type === 'array') return `list of ${typeText(items ?? {})}${bounds(schema.minItems, schema.maxItems, 'entries')}`;
  if (type === 'string') return `string${stringBounds(schema)}`;
  if (type === 'integer' || type === 'number') return `${type}${bounds(leastOf(schema), schema.maximum, '')}`;
  const byName = Object.values(patternProperties ?? {})[0];
  if (byName !== undefined) return `object of ${typeText(byName)} by name`;
  return type ?? 'anything';
}

function unionText(anyOf: readonly Schema[]): string {
  const forms = formsOf(anyOf).map(typeText);
  const isNullable = anyOf.some(({ type }) => type === 'null');
  return [...new Set(forms), ...(isNullable ? ['null'] : [])].join(' or ');
}

/** The forms of a choice, those of choices within it included; null is none. */
function formsOf(anyOf: readonly Schema[]): readonly Schema[] {
  return anyOf.flatMap((form) => (form.anyOf === undefined ? [form] : formsOf(form.anyOf))).filter(isSomething);
}

function isSomething({ type }: Schema): boolean {
  return type !== 'null';
}

/** A form of a choice by the member that tells it apart, such as `type "text"`; else by its members. */
function formName({ properties = {}, items }: Schema): string {
  if (items !== undefined) return `list of ${formName(items)}`;
  const fixed = Object.entries(properties).find(([, schema]) => schema.const !== undefined);
  if (fixed !== undefined) return `${fixed[0]} ${JSON.stringify(fixed[1].const)}`;
  return `with ${Object.keys(properties).slice(0, 3).join(', ')}`;
}

function stringBounds({ minLength, maxLength, format }: Schema): string {
  return `${format === undefined ? '' : ` (${format})`}${bounds(minLength === 0 ? undefined : minLength, maxLength, 'characters')}`;
}

function leastOf({ minimum, exclusiveMinimum }: Schema): number | string | undefined {
  return exclusiveMinimum === undefined ? minimum : `above ${exclusiveMinimum}`;
}

function bounds(least: number | string | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  const [low, high] = [numberText(least), numberText(most)];
  const text =
    low === null
      ? `at most ${high}`
      : high === null
        ? `${typeof least === 'string' ? '' : 'at least '}${low}`
        : `${low} to ${high}`;
  return `, ${text}${unit === '' ? '' : ` ${unit}`}`;
}

function numberText(value: number | string | undefined): string | null {
  if (value === undefined) return null;
  return Number.isInteger(value) && (value as number) >= 0 ? countText(value as number) : String(value);
}

/** A text of the document: what stands in backticks is code. */
export function words(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
