import { Agent, fetch } from 'undici';
import type { Outcome } from '../support/auditor/history.ts';
import type { Scenario } from './scenario.ts';

/** What came back for one scenario, in the words of a history, without its number and time. */
export type Finding = Outcome extends infer Each ? (Each extends Outcome ? Omit<Each, 'op' | 'at'> : never) : never;

const ANSWER_MS = 45_000;
/** A connection of its own for each request, handed out by the launcher; and ones that are kept. */
const FRESH = new Agent({ pipelining: 0 });
const KEPT = new Agent();
const COST = /"cost":\s*(-?[0-9.]+(?:[eE][+-]?\d+)?)/g;

/** Sends one request and judges its answer. Never throws: whatever leaves the outcome open is `unknown`. */
export async function exchange(url: string, key: string, scenario: Scenario): Promise<Finding> {
  const leave = new AbortController();
  const late = setTimeout(() => leave.abort(new Error(`no answer in ${ANSWER_MS} ms`)), ANSWER_MS);
  let generation: string | null = null;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(scenario.body),
      signal: leave.signal,
      dispatcher: scenario.fresh ? FRESH : KEPT,
    });
    generation = response.headers.get('x-generation-id');
    const text = await read(response, scenario, leave);
    if (response.status !== 200) return refused(response.status, text, generation);
    const provider = response.headers.get('x-provider-name') ?? '';
    return scenario.stream
      ? streamed(text, scenario, generation, provider)
      : whole(text, scenario, generation, provider);
  } catch (error) {
    return { type: 'unknown', generation, reason: reasonOf(error) };
  } finally {
    clearTimeout(late);
  }
}

/** The whole body; rejects when the scenario wanted to leave before its end and did. */
async function read(
  response: Awaited<ReturnType<typeof fetch>>,
  scenario: Scenario,
  leave: AbortController,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (scenario.leaveAfter === null || text.split('data: ').length - 1 < scenario.leaveAfter) continue;
    leave.abort(new Error('the client left'));
    leave.signal.throwIfAborted();
  }
  return text;
}

function refused(status: number, text: string, generation: string | null): Finding {
  return { type: 'fail', status, errorType: errorTypeIn(text), generation, delivered: false, endings: 0 };
}

function whole(text: string, scenario: Scenario, generation: string | null, provider: string): Finding {
  const body = JSON.parse(text) as { choices: { message: { content: string | null } }[] };
  const content = body.choices[0]?.message.content ?? '';
  const textIntact = scenario.chunks === null || isNumbered(content, scenario.chunks);
  return { type: 'ok', generation: generation ?? '', cost: costIn(text), provider, textIntact, endings: 1 };
}

function streamed(text: string, scenario: Scenario, generation: string | null, provider: string): Finding {
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6));
  const endings = data.filter((line) => line === '[DONE]').length;
  let content = '';
  let failure: string | null = null;
  for (const line of data) {
    if (line === '[DONE]') continue;
    const chunk = JSON.parse(line) as { error?: object; choices?: { delta?: { content?: string } }[] };
    if (chunk.error) failure = line;
    content += chunk.choices?.[0]?.delta?.content ?? '';
  }
  if (failure !== null) {
    const delivered = content !== '';
    return { type: 'fail', status: 200, errorType: errorTypeIn(failure), generation, delivered, endings };
  }
  if (endings === 0) return { type: 'unknown', generation, reason: 'the stream stopped without an end' };
  const textIntact = scenario.chunks === null || isNumbered(content, scenario.chunks);
  return { type: 'ok', generation: generation ?? '', cost: costIn(text), provider, textIntact, endings };
}

/** True for `tag x1 x2 ... x(n-1)`: nothing missing, nothing twice, nothing of another call. */
export function isNumbered(content: string, chunks: number): boolean {
  const words = content.trim().split(/\s+/);
  const rest = words.slice(1);
  return words.length >= 1 && rest.length === chunks - 1 && rest.every((word, at) => word === `x${at + 1}`);
}

function costIn(text: string): string | null {
  return [...text.matchAll(COST)].at(-1)?.[1] ?? null;
}

function errorTypeIn(text: string): string | null {
  return /"error_type":\s*"([a-z_]+)"/.exec(text)?.[1] ?? null;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}
