import { invalid } from '../../terms/gateway-error.ts';

/** The fields of a form by name, each at most once. */
export type FormFields = ReadonlyMap<string, string>;

const FIELDS_MAX = 100;

/** Parses the text of a form. Throws GatewayError 400. */
export function parseForm(text: string): FormFields {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw invalid('A field of the form is repeated');
    if (fields.size === FIELDS_MAX) throw invalid(`A form has at most ${FIELDS_MAX} fields`);
    fields.set(name, value);
  }
  return fields;
}
