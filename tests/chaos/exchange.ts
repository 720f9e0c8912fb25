import { Agent, fetch } from 'undici';
import type { Outcome } from '../support/auditor/history.ts';
import { paced } from '../support/pace.ts';
import { isIntact } from './answered.ts';
import { judgeOf, type ReplyJudge, wholeAnswer } from './reply-judge.ts';
import type { Scenario } from './scenario.ts';
import type { TurnSockets } from './turn-sockets.ts';

/** The outcome of one scenario, without its operation number and time. */
export type Finding = Outcome extends infer Each ? (Each extends Outcome ? Omit<Each, 'op' | 'at'> : never) : never;

const ANSWER_MS = 45_000;
const PATHS = {
  chat: '/chat/completions',
  completions: '/completions',
  messages: '/messages',
  responses: '/responses',
} as const;
/** One agent that opens a new connection for each request, so that the launcher distributes them; and one with keep-alive. */
const FRESH = new Agent({ pipelining: 0 });
const KEPT = new Agent();
/** The abort reason of a client that disconnects on purpose. */
const LEFT = new Error('the client left');
/** A stream over HTTP begins with this comment; frames have none. */
const OPENING = ': processing\n';
const RESPONSE_ID = /"id":"resp_([^"]+)"/;
const COST = /"cost":\s*(-?[0-9.]+(?:[eE][+-]?\d+)?)/g;

/** Sends one request to its route below `base` and judges its answer. Never throws: an undetermined outcome is `unknown`. */
export async function exchange(base: string, key: string, scenario: Scenario): Promise<Finding> {
  const leave = new AbortController();
  const withinMs = paced(ANSWER_MS);
  const late = setTimeout(() => leave.abort(new Error(`no answer in ${withinMs} ms`)), withinMs);
  const judge = judgeOf(scenario.dialect);
  let generation: string | null = null;
  try {
    const response = await fetch(`${base}${PATHS[scenario.dialect]}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...scenario.headers },
      body: JSON.stringify(scenario.body),
      signal: leave.signal,
      dispatcher: scenario.fresh ? FRESH : KEPT,
    });
    generation = response.headers.get('x-generation-id');
    const opened = scenario.stream && response.status === 200;
    const text = await read(response, scenario, { leave, judge: opened ? judge : null });
    if (response.status !== 200) return refused(response.status, text, generation);
    const provider = response.headers.get('x-provider-name') ?? '';
    return scenario.stream
      ? streamed(text, scenario, { generation, provider, judge })
      : whole(text, scenario, generation, provider);
  } catch (error) {
    const left = error === LEFT ? ({ left: true } as const) : {};
    return { type: 'unknown', generation, reason: reasonOf(error), ...left, ...breachesOf(judge.left().faults) };
  } finally {
    clearTimeout(late);
  }
}

/** The same for a turn over a WebSocket, whose frames are judged as the events of a stream. */
export async function socketExchange(sockets: TurnSockets, key: string, scenario: Scenario): Promise<Finding> {
  const { frames, end, status, reason } = await sockets.turn(key, scenario, paced(ANSWER_MS));
  const text = frames.join('\n');
  if (end === 'refused') return refused(status, text, null);
  const judge = judgeOf('responses');
  judge.feed(OPENING);
  for (const frame of frames) judge.feed(`event: ${JSON.parse(frame).type}\ndata: ${frame}\n\n`);
  const generation = RESPONSE_ID.exec(text)?.[1];
  const named = { generation: generation === undefined ? null : `gen-${generation}`, provider: '', judge };
  if (end === 'answered') return streamed(text, scenario, named);
  const left = end === 'left' && scenario.leaveAfter !== null ? ({ left: true } as const) : {};
  return { type: 'unknown', generation: named.generation, reason, ...left, ...breachesOf(judge.left().faults) };
}

/** The whole body; rejects if the scenario disconnected before its end, as planned. */
async function read(
  response: Awaited<ReturnType<typeof fetch>>,
  scenario: Scenario,
  { leave, judge }: { readonly leave: AbortController; readonly judge: ReplyJudge | null },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    const piece = decoder.decode(bytes as Uint8Array, { stream: true });
    judge?.feed(piece);
    text += piece;
    if (scenario.leaveAfter === null || text.split('data: ').length - 1 < scenario.leaveAfter) continue;
    leave.abort(LEFT);
    leave.signal.throwIfAborted();
  }
  return text;
}

function refused(status: number, text: string, generation: string | null): Finding {
  return { type: 'fail', status, errorType: errorTypeIn(text), generation, delivered: false, endings: 0 };
}

function whole(text: string, scenario: Scenario, generation: string | null, provider: string): Finding {
  const textIntact = isIntact(wholeAnswer(scenario.dialect, JSON.parse(text) as object), scenario.expected);
  return { type: 'ok', generation: generation ?? '', cost: costIn(text), provider, textIntact, endings: 1 };
}

function streamed(
  text: string,
  scenario: Scenario,
  { generation, provider, judge }: { generation: string | null; provider: string; judge: ReplyJudge },
): Finding {
  const open = judge.left();
  if (open.endings === 0 && open.error === null) {
    const reason = 'the stream stopped without an end';
    return { type: 'unknown', generation, reason, ...breachesOf(open.faults) };
  }
  const { error, endings, faults, answer } = judge.end();
  if (error !== null) {
    const delivered = answer.text !== '' || answer.calls.length > 0 || answer.images.length > 0;
    const errorType = errorTypeIn(JSON.stringify(error));
    return { type: 'fail', status: 200, errorType, generation, delivered, endings, ...breachesOf(faults) };
  }
  const textIntact = isIntact(answer, scenario.expected);
  const cost = costIn(text);
  return { type: 'ok', generation: generation ?? '', cost, provider, textIntact, endings, ...breachesOf(faults) };
}

function breachesOf(faults: readonly string[]): { readonly breaches?: readonly string[] } {
  return faults.length > 0 ? { breaches: faults } : {};
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
