import type { Answer } from './answer.ts';

const ARGUMENT_PIECE_CHARS = 8;

/** The body of an answer in one piece. */
export function wholeBody(answer: Answer): string {
  const message: Record<string, unknown> = { role: 'assistant', content: answer.chunks.join('') || null };
  if (answer.reasoning.length > 0) message.reasoning_content = answer.reasoning.join('');
  if (answer.refusal !== undefined) message.refusal = answer.refusal;
  if (answer.toolCalls.length > 0) {
    message.tool_calls = answer.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  return JSON.stringify({
    id: answer.id,
    object: 'chat.completion',
    created: answer.created,
    model: answer.model,
    choices: [{ index: 0, message, finish_reason: answer.finish }],
    ...(answer.usage === null ? {} : { usage: answer.usage }),
  });
}

/** The frames of a streamed answer. Content frames stand between `head` and `tail`; a stream ends with all of `tail`. */
export function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const open = `data: {"id":"${answer.id}","object":"chat.completion.chunk","created":${answer.created},"model":${JSON.stringify(answer.model)},"choices":[`;
  const frame = (delta: string, finish: string): string =>
    `${open}{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;
  const content = [frame('{"role":"assistant","content":""}', 'null')];
  for (const text of answer.reasoning) content.push(frame(`{"reasoning_content":${JSON.stringify(text)}}`, 'null'));
  for (const text of answer.chunks) content.push(frame(`{"content":${JSON.stringify(text)}}`, 'null'));
  if (answer.refusal !== undefined) content.push(frame(`{"refusal":${JSON.stringify(answer.refusal)}}`, 'null'));
  answer.toolCalls.forEach((call, index) => {
    const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    content.push(frame(JSON.stringify({ tool_calls: [start] }), 'null'));
    for (let at = 0; at < call.arguments.length; at += ARGUMENT_PIECE_CHARS) {
      const piece = { index, function: { arguments: call.arguments.slice(at, at + ARGUMENT_PIECE_CHARS) } };
      content.push(frame(JSON.stringify({ tool_calls: [piece] }), 'null'));
    }
  });
  const tail = [frame('{}', JSON.stringify(answer.finish))];
  if (answer.usage !== null) tail.push(`${open}],"usage":${JSON.stringify(answer.usage)}}\n\n`);
  tail.push('data: [DONE]\n\n');
  return { content, tail };
}
