/**
 * What a wire of providers costs beside the chat wire: the body of a request and its whole answer, and one chunk of a
 * stream. Every turn dialect is measured through its adapter, with answers that its simulated provider sent.
 */
import { TURN_DIALECTS, type TurnDialect } from '../../actors/terms/endpoint.ts';
import type { OutboundReply } from '../../gateway/outbound/outbound.ts';
import { StreamAttempt } from '../../gateway/providers/call/stream-attempt.ts';
import { type Target, targetOf } from '../../gateway/providers/call/target.ts';
import { WholeAttempt } from '../../gateway/providers/whole-attempt.ts';
import { startSimulator } from '../../gateway/simulator/simulator.ts';
import type { Turn } from '../../gateway/terms/turn.ts';
import { UNSHARED } from '../gateway/providers/played.ts';
import { endpointOf } from '../support/model/endpoints.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';

/** The wires that have conversations. */
const CONVERSING = TURN_DIALECTS.filter((dialect) => dialect !== 'completions');
const CEILING = 256;
const TOKENS = 200;
const GENERATION = 'gen-1';
/** Long enough to see every part of a wire's cost, short enough that the machine is the same for all wires. */
const SLICE_MS = 40;
const WARM_SLICES = 25;
const SLICES_PER_SECOND = 1_000 / SLICE_MS;
const LINE_CHARACTERS_MAX = 1024 * 1024;
const SAID = [
  ['a request', 'Which river runs through the capital of the country that borders both of these seas?', false],
  [`a chunk of ${TOKENS}`, `Tell me something. @sim {"tokens":${TOKENS},"tps":400}`, true],
] as const;

interface Measured {
  readonly dialect: TurnDialect;
  /** One request to its end. */
  readonly work: () => Promise<void>;
  /** Microseconds of CPU, the least of all slices so far. */
  leastUs: number;
}

/** CPU per request and per chunk of each wire, in slices that alternate with those of the chat wire. */
export async function benchWires({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const simulator = await startSimulator({ name: 'sim-a' });
  try {
    const figures: Figure[] = [];
    for (const [what, text, stream] of SAID) {
      const turn = turnOf(text, stream);
      const wires = await Promise.all(CONVERSING.map((dialect) => prepared(dialect, simulator.baseUrl, turn)));
      await alternate(wires, WARM_SLICES);
      for (const wire of wires) wire.leastUs = Number.POSITIVE_INFINITY;
      await alternate(wires, Math.ceil(seconds * rounds * SLICES_PER_SECOND));
      figures.push(...figuresOf(wires, what, stream ? TOKENS : 1));
    }
    return figures;
  } finally {
    await simulator.close();
  }
}

function turnOf(text: string, stream: boolean): Turn {
  return {
    kind: 'conversation',
    models: ['sim/fast'],
    messages: [
      { role: 'system', text: 'Answer in one short sentence.' },
      { role: 'user', text },
    ],
    stream,
    sampling: { temperature: 0.5 },
    preferences: { allowFallbacks: true },
  };
}

/** The answer comes from the simulated provider once, as the chunks that it sends. */
async function prepared(dialect: TurnDialect, baseUrl: string, turn: Turn): Promise<Measured> {
  const target = targetOf(
    endpointOf({ supportedParameters: ['temperature'], target: { dialect, baseUrl, upstreamId: 'sim/fast' } }),
    null,
  );
  const { url } = turn.stream ? target.stream : target.whole;
  const response = await fetch(`${url.origin}${url.path}`, {
    method: 'POST',
    body: target.write(turn, CEILING) as string,
  });
  if (response.status !== 200) throw new Error(`the ${dialect} wire was refused: ${await response.text()}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return { dialect, work: () => answered(target, turn, chunks), leastUs: Number.POSITIVE_INFINITY };
}

async function answered(target: Target, turn: Turn, chunks: readonly Uint8Array[]): Promise<void> {
  const { adapter } = target;
  target.write(turn, CEILING);
  const reader = adapter.reader((index) => `call_${GENERATION}_${index}`, undefined, turn, target.learnt);
  const reply = replyOf(chunks);
  const attempt = turn.stream
    ? new StreamAttempt(reply, reader, {
        lineCharactersMax: LINE_CHARACTERS_MAX,
        streamShare: UNSHARED.streamShare,
        framing: adapter.framing,
      })
    : new WholeAttempt(reply, reader, { ...UNSHARED, tokensMax: adapter.replyTokensMax });
  while ((await attempt.read()) !== null);
}

function replyOf(chunks: readonly Uint8Array[]): OutboundReply {
  const length = String(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let next = 0;
  return {
    status: 200,
    header: (name) => (name === 'content-length' ? length : null),
    body: {
      read: async () => (next < chunks.length ? [chunks[next++] as Uint8Array] : null),
      text: async () => Buffer.concat(chunks).toString(),
      progressed: () => {},
      abort: () => {},
    },
  };
}

/** Each round begins with another wire, so that none always runs behind the same one. */
async function alternate(wires: readonly Measured[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const first = round % wires.length;
    for (const wire of wires.slice(first).concat(wires.slice(0, first))) {
      wire.leastUs = Math.min(wire.leastUs, await slice(wire.work));
    }
  }
}

async function slice(work: () => Promise<void>): Promise<number> {
  const began = process.cpuUsage();
  const endAt = performance.now() + SLICE_MS;
  let times = 0;
  do {
    await work();
    times++;
  } while (performance.now() < endAt);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / times;
}

function figuresOf(wires: readonly Measured[], what: string, parts: number): readonly Figure[] {
  const chat = wires.find(({ dialect }) => dialect === 'chat') as Measured;
  return wires
    .filter((wire) => wire !== chat)
    .map(({ dialect, leastUs }) => ({
      name: `${dialect} wire beside chat, CPU per ${what}`,
      unit: 'us',
      ours: leastUs / parts,
      baseline: chat.leastUs / parts,
      goal: { atMost: 1.15, of: 'ratio' },
    }));
}
