import type { ContentPart, MediaPart, ReasoningDetail, Turn, TurnMessage } from '../../../gateway/terms/turn.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/**
 * What a turn asks for, by the names under which `honoured` reports it, in a form that does not depend on how a wire
 * writes it: system texts are one prompt, adjacent texts of one role are one text, calls are numbered in their order, the
 * failure of a tool is the word that begins its result. Two turns with equal facts ask the same of a provider.
 */
export function factsOf(turn: Turn, ceiling: number): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    const text = JSON.stringify(value);
    if (text !== undefined && text !== '[]') facts.set(name, text);
  };
  add('max_tokens', turn.completionTokensMax ?? ceiling);
  add('stream', turn.stream);
  add('system', systemOf(turn.messages));
  add('messages', conversationOf(turn.messages));
  add(
    'messages.name',
    turn.messages.flatMap((message) => ('name' in message ? [message.name] : [])),
  );
  add('messages.reasoning', turn.messages.flatMap(reasoningOf));
  add('messages.media', turn.messages.flatMap(mediaMembersOf));
  add('cache_control', [...(turn.tools ?? []).flatMap(markOf), ...turn.messages.flatMap(marksOf)]);
  for (const [name, value] of Object.entries(turn.sampling)) {
    if (name !== 'enable_thinking') add(name, name === 'stop' ? [value].flat() : value);
  }
  addReasoning(turn, add);
  add(
    'tools',
    turn.tools?.map(({ cacheFor: _, ...tool }) => JSON.parse(JSON.stringify(tool))),
  );
  if (turn.tools) add('tool_choice', turn.toolChoice ?? 'auto');
  if (turn.tools && turn.toolChoice !== 'none') add('parallel_tool_calls', turn.parallelToolCalls ?? true);
  add('response_format', (turn.responseFormat?.json_schema as { schema?: unknown } | undefined)?.schema);
  add('user', turn.user);
  return facts;
}

/** Names of the facts that one of two turns lacks, or that differ. */
export function lostFacts(asked: ReadonlyMap<string, string>, sent: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...asked.keys(), ...sent.keys()]);
  return [...names].filter((name) => asked.get(name) !== sent.get(name)).sort();
}

function addReasoning({ reasoning, sampling }: Turn, add: (name: string, value: unknown) => void): void {
  const { effort, tokensMax, enabled = sampling.enable_thinking } = reasoning ?? {};
  if (effort !== undefined && effort !== 'none') add('reasoning_effort', effort);
  else if (effort === 'none' || enabled === false) add('reasoning', false);
  else if (enabled === true || tokensMax !== undefined) add('reasoning', true);
  add('reasoning.max_tokens', tokensMax);
}

function systemOf(messages: readonly TurnMessage[]): string {
  return messages.flatMap(({ role, text }) => (role === 'system' || role === 'developer' ? [text] : [])).join('\n\n');
}

interface Atom {
  readonly role: string;
  text?: string;
  readonly value?: unknown;
}

function conversationOf(messages: readonly TurnMessage[]): readonly Atom[] {
  const atoms: Atom[] = [];
  const numbers = new Map<string, number>();
  const say = (role: string, text: string): void => {
    const last = atoms.at(-1);
    if (text === '') return;
    if (last?.role === role && last.text !== undefined) last.text += text;
    else atoms.push({ role, text });
  };
  const content = (role: string, { text, parts }: { text: string; parts?: readonly ContentPart[] }): void => {
    for (const part of parts ?? [{ type: 'text', text } as const]) {
      if (part.type === 'text') say(role, part.text);
      else atoms.push({ role, value: bytesOf(part) });
    }
  };
  for (const message of messages) {
    if (message.role === 'user') content('user', message);
    else if (message.role === 'tool') {
      const result = `result ${numbers.get(message.toolCallId)}`;
      atoms.push({ role: result, value: 'begins' });
      if (message.isError) say(result, 'Error: ');
      content(result, message);
    } else if (message.role === 'assistant') {
      say('assistant', message.text ?? '');
      say('assistant', message.refusal ?? '');
      for (const call of message.toolCalls ?? []) {
        numbers.set(call.id, numbers.size);
        atoms.push({ role: 'call', value: [numbers.get(call.id), call.name, JSON.parse(call.arguments)] });
      }
    }
  }
  return atoms;
}

function bytesOf({ type, source }: MediaPart): unknown {
  return [type, source.kind === 'url' ? source.url : source];
}

/** Entries in their order, else the plain text. Where an entry stands says its place, so an index says nothing more. */
function reasoningOf(message: TurnMessage): unknown[] {
  if (message.role !== 'assistant') return [];
  const { reasoning, reasoningDetails, toolCalls = [] }: Assistant = message;
  const ids = toolCalls.map(({ id }) => id);
  if (reasoningDetails !== undefined) return reasoningDetails.map((detail) => entryOf(detail, ids));
  return reasoning === undefined || reasoning === '' ? [] : [reasoning];
}

/** An entry may belong to a call, whose id some wires change. */
function entryOf(detail: ReasoningDetail, calls: readonly string[]): unknown {
  const { type, text, signature, summary, data, format, id } = detail;
  const call = id == null ? -1 : calls.indexOf(id);
  const named = call < 0 ? (id ?? null) : call;
  return [type, text ?? summary ?? '', signature ?? null, data ?? null, format ?? null, named];
}

function partsOf(message: TurnMessage): readonly ContentPart[] {
  return message.role === 'assistant' ? [] : (message.parts ?? []);
}

function mediaMembersOf(message: TurnMessage): unknown[] {
  return partsOf(message).flatMap((part): unknown[] => {
    const origin = part.origin === undefined ? undefined : Object.entries(part.origin).sort();
    if (part.type === 'text') return origin === undefined ? [] : [origin];
    const detail = part.detail === 'auto' ? undefined : part.detail;
    const members = [detail, part.context, part.filename, part.cited, origin];
    return members.every((member) => member === undefined) ? [] : [members];
  });
}

function marksOf(message: TurnMessage): unknown[] {
  if (message.role === 'assistant') return (message.blocks ?? []).flatMap(markOf);
  return [...partsOf(message).flatMap(markOf), ...(message.role === 'tool' ? markOf(message) : [])];
}

function markOf(marked: object): unknown[] {
  return 'cacheFor' in marked && marked.cacheFor !== undefined ? [marked.cacheFor] : [];
}
