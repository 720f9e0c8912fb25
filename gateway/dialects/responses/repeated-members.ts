import { JsonText, jsonText, membersText } from '../../terms/json-text.ts';
import type { ResponsesRequest } from './request-schema.ts';

/**
 * Characters of instructions, tools, metadata and format that a response repeats, each: a stream sends them three
 * times, and a request may have megabytes. A larger member is returned empty.
 */
const REPEATED_CHARACTERS_MAX = 128 * 1_024;

/** The request without its input. */
export type RepeatedRequest = Omit<ResponsesRequest, 'input'>;

/**
 * The members of a response that repeat its request, as JSON text with a comma before each. Strict clients require most
 * of them: where the request sets none, `temperature`, `top_p`, both penalties, `service_tier` and `truncation` are
 * placeholders and no statement about the endpoint. (rule I87)
 */
export function repeatedMembers(request: RepeatedRequest): string {
  const { reasoning, text } = request;
  const format = membersText({
    format: new JsonText(bounded(formatText(text?.format), '{"type":"text"}')),
    verbosity: text?.verbosity ?? undefined,
  });
  return (
    `,"background":false,"frequency_penalty":0,"instructions":${bounded(jsonText(request.instructions ?? null), 'null')}` +
    `,"max_output_tokens":${request.max_output_tokens ?? null},"max_tool_calls":null` +
    `,"metadata":${bounded(jsonText(request.metadata ?? {}), '{}')},"parallel_tool_calls":true,"presence_penalty":0` +
    `,"previous_response_id":null,"prompt_cache_key":${jsonText(request.prompt_cache_key ?? null)}` +
    `,"reasoning":${jsonText({ effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null })}` +
    `,"safety_identifier":null,"service_tier":"default","store":false,"temperature":${request.temperature ?? 1}` +
    `,"text":${format},"tool_choice":${jsonText(request.tool_choice ?? 'auto')}` +
    `,"tools":${bounded(toolsText(request.tools ?? []), '[]')},"top_logprobs":0,"top_p":${request.top_p ?? 1}` +
    `,"truncation":"disabled","user":${jsonText(request.user ?? null)}`
  );
}

function bounded(text: string, instead: string): string {
  return text.length > REPEATED_CHARACTERS_MAX ? instead : text;
}

type Format = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

/** The schema may be a text. */
function formatText(format: Format | null | undefined): string {
  if (format?.type !== 'json_schema') return `{"type":"${format?.type ?? 'text'}"}`;
  const { type, name, description, schema, strict } = format;
  return membersText({ type, name, description: description ?? null, schema, strict: strict ?? null });
}

type Tools = NonNullable<ResponsesRequest['tools']>;

function toolsText(tools: Tools): string {
  const texts: string[] = [];
  let characters = 0;
  for (const tool of tools) {
    const text = toolText(tool);
    texts.push(text);
    characters += text.length;
    if (characters > REPEATED_CHARACTERS_MAX) return '[]';
  }
  return `[${texts.join(',')}]`;
}

/** The parameters may be a text. */
function toolText(tool: Tools[number]): string {
  const { type, name } = tool;
  const description = tool.description ?? null;
  if (tool.type === 'namespace') {
    return membersText({ type, name, description, tools: new JsonText(toolsText(tool.tools)) });
  }
  return membersText({ type, name, description, parameters: tool.parameters ?? null, strict: tool.strict ?? null });
}
