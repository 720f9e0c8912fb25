/** A text in pieces of `characters` UTF-16 units, the last one shorter; none for an empty text. */
export function piecesOf(text: string, characters: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += characters) pieces.push(text.slice(at, at + characters));
  return pieces;
}

/** A text as its words, each with the space behind it. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
