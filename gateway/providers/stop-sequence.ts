const CHARACTERS_MAX = 4_096;

/** The member of a `finish` that names the sequence which ended the answer; none for anything but a short text. */
export function stopSequence(named: unknown): { readonly stopSequence?: string } {
  if (typeof named !== 'string' || named === '' || named.length > CHARACTERS_MAX) return {};
  return { stopSequence: named };
}
