/** Something that can be opened. */
export interface Found {
  readonly name: string;
  /** What it is, in a word, or its id. */
  readonly what: string;
  readonly path: string;
}

/** True where each word of the text is in the name or in what it is. */
export function isMatch({ name, what }: Found, text: string): boolean {
  const given = `${name} ${what}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => given.includes(word));
}
