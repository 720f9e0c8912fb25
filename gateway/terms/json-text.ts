/**
 * A JSON value kept as its text: a schema that the gateway forwards and counts and never looks into. Large schemas are
 * read into this form, because the objects of one would take a hundred times as long to make and to write again.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** A text inside an object that is written natively would become a string. */
  toJSON(): never {
    throw new Error('a JSON text is written by jsonText');
  }
}

/** The text of a value that holds no further texts. */
export function jsonText(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** An object whose members may be texts, in order; undefined ones are omitted. */
export function membersText(members: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${jsonText(value)}`;
  }
  return `{${text}}`;
}

/** A requested answer format as text; its JSON schema may be a text. */
export function formatText(format: Readonly<Record<string, unknown>>): string {
  const { json_schema: schema } = format;
  if (typeof schema !== 'object' || schema === null) return JSON.stringify(format);
  return membersText({
    ...format,
    json_schema: new JsonText(membersText(schema as Readonly<Record<string, unknown>>)),
  });
}
