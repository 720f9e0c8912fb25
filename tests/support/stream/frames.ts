import * as assert from 'uvu/assert';

/** Frames of a whole stream. Grammar: comments of one line, unnamed data frames, one `[DONE]` at the very end. */
export function frames(text: string): { readonly comments: number; readonly chunks: Record<string, unknown>[] } {
  let comments = 0;
  const chunks: Record<string, unknown>[] = [];
  let rest = text;
  let done = 0;
  while (rest !== '') {
    const comment = /^: [a-z-]+\n/.exec(rest);
    const data = /^data: ([^\n]+)\n\n/.exec(rest);
    const found = comment ?? data;
    if (!found) throw new Error(`not a frame: ${JSON.stringify(rest.slice(0, 80))}`);
    if (comment) comments++;
    else if (data?.[1] === '[DONE]') done++;
    else chunks.push(JSON.parse(data?.[1] as string) as Record<string, unknown>);
    rest = rest.slice(found[0].length);
    if (done > 0) assert.is(rest, '', 'nothing follows [DONE]');
  }
  assert.is(done, 1);
  return { comments, chunks };
}
