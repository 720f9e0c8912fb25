import type { Expected } from './scenario.ts';

/** The content of an answer, assembled from one body or from all chunks of a stream. */
export interface Answered {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly images: readonly string[];
}

interface Part {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
  readonly images?: readonly { readonly image_url: { readonly url: string } }[];
}

interface Body {
  readonly choices?: readonly { readonly text?: string; readonly message?: Part; readonly delta?: Part }[];
}

/** Reads one body, or the chunks of a stream in order; for both routes. */
export function answered(bodies: readonly object[]): Answered {
  let text = '';
  const calls: { id: string; name: string; arguments: string }[] = [];
  const images: string[] = [];
  for (const body of bodies) {
    const choice = (body as Body).choices?.[0];
    const part = choice?.message ?? choice?.delta ?? {};
    text += choice?.text ?? part.content ?? '';
    for (const image of part.images ?? []) images.push(image.image_url.url);
    for (const [at, fragment] of (part.tool_calls ?? []).entries()) {
      const index = fragment.index ?? at;
      calls[index] ??= { id: fragment.id ?? '', name: fragment.function?.name ?? '', arguments: '' };
      calls[index].arguments += fragment.function?.arguments ?? '';
    }
  }
  return { text, calls, images };
}

/** True if the answer is exactly the expected one: nothing missing, duplicated or from another call. */
export function isIntact(answer: Answered, expected: Expected): boolean {
  if (expected.chunks !== undefined && !isNumbered(answer.text, expected.chunks)) return false;
  if (expected.call !== undefined && !isOneCall(answer, expected.call)) return false;
  if (expected.says !== undefined && !answer.text.includes(expected.says)) return false;
  return expected.images === undefined || answer.images.length === expected.images;
}

function isOneCall({ calls }: Answered, name: string): boolean {
  const [call] = calls;
  if (calls.length !== 1 || call === undefined || call.name !== name || call.id === '') return false;
  try {
    return typeof JSON.parse(call.arguments) === 'object';
  } catch {
    return false;
  }
}

/** True for `tag x1 x2 ... x(n-1)`. */
export function isNumbered(content: string, chunks: number): boolean {
  const words = content.trim().split(/\s+/);
  const rest = words.slice(1);
  return words.length >= 1 && rest.length === chunks - 1 && rest.every((word, at) => word === `x${at + 1}`);
}
