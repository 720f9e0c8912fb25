import type { ContentPart } from '../../terms/turn.ts';

interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

/**
 * The content of a system prompt. Endpoints that take one text receive its parts joined by a line break, because the
 * last word of one and the first of the next would run together otherwise; a break that is there already is enough.
 */
export function promptLines({ text, parts }: Content): Content {
  return parts === undefined ? { text } : { text: parts.reduce(addLine, ''), parts };
}

function addLine(text: string, part: ContentPart): string {
  if (part.type !== 'text' || part.text === '') return text;
  const isBroken = text === '' || text.endsWith('\n') || part.text.startsWith('\n');
  return isBroken ? text + part.text : `${text}\n${part.text}`;
}
