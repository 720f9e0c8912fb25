import type { ChatRequest } from './chat-request.ts';
import { flawsOf } from './flaws.ts';
import { filled } from './json-filler.ts';

/** The JSON that a request's format asks for, with one plain value for each member; null where none is asked. */
export function jsonAnswer(request: ChatRequest): string | null {
  const format = request.response_format;
  const flaws = flawsOf(request.model ?? '');
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return null;
  if (flaws.has('ignores-format')) return null;
  if (format.type === 'json_object' || flaws.has('ignores-schema')) return '{"answer": "x"}';
  return JSON.stringify(filled(format.json_schema?.schema));
}
