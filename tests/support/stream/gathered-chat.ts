import type OpenAI from 'openai';

type Members = Readonly<Record<string, unknown>>;

/**
 * The message of a chat stream: texts joined, entries of reasoning by their index, calls by theirs. `last` is the chunk
 * with the usage.
 */
export async function gatheredChat(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<{ readonly message: Members; readonly last: Members }> {
  let last: Members = {};
  const message: { [member: string]: unknown } = { role: 'assistant', content: null };
  const details: Record<string, unknown>[] = [];
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for await (const chunk of stream) {
    last = chunk as unknown as Members;
    const { content, reasoning, reasoning_details, tool_calls } = (chunk.choices[0]?.delta ?? {}) as Members;
    if (content) message.content = `${message.content ?? ''}${content}`;
    if (reasoning) message.reasoning = `${message.reasoning ?? ''}${reasoning}`;
    for (const detail of (reasoning_details ?? []) as (Record<string, unknown> & { index?: number })[]) {
      const known = details.find(({ index, type }) => index === detail.index && type === detail.type);
      if (known === undefined || detail.index === undefined) details.push(detail);
      else {
        for (const [name, piece] of Object.entries(detail)) {
          known[name] = name === 'text' || name === 'summary' ? `${known[name] ?? ''}${piece}` : piece;
        }
      }
    }
    for (const { index, id, function: called } of (tool_calls ??
      []) as OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[]) {
      if (id) calls[index] = { id, type: 'function', function: { name: called?.name ?? '', arguments: '' } };
      const call = calls[index];
      if (call) call.function.arguments += called?.arguments ?? '';
    }
  }
  if (details.length > 0) message.reasoning_details = details;
  return { message: { ...message, tool_calls: calls }, last };
}
