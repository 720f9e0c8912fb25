/**
 * The requests of the chaos workload, each with what must come of it while nothing is broken. The nonce travels as
 * `user` and in the provider's directive, so that client, provider and generation row can be joined.
 */
export interface Scenario {
  readonly name: string;
  readonly model: string;
  readonly stream: boolean;
  readonly expects: 'ok' | 'refused' | 'broken' | 'any';
  /** Chunks a whole answer has; null where the answer is no numbered text. */
  readonly chunks: number | null;
  /** The client leaves behind this many frames. */
  readonly leaveAfter: number | null;
  /** Spends the account that can pay for almost nothing. */
  readonly poor: boolean;
  /** On a connection of its own. */
  readonly fresh: boolean;
  readonly body: object;
}

interface Shape {
  readonly name: string;
  readonly weight: number;
  readonly model: string;
  readonly directive: object;
  readonly chunks: number | null;
  readonly stream?: boolean;
  readonly expects?: Scenario['expects'];
  readonly leaveAfter?: number;
  readonly poor?: boolean;
  readonly members?: object;
}

const TOOLS = {
  tools: [
    {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ],
  tool_choice: 'required',
};

const SHAPES: readonly Shape[] = [
  { name: 'whole', weight: 34, model: 'sim/fast', directive: {}, chunks: 16 },
  { name: 'stream', weight: 24, model: 'sim/fast', directive: { tokens: 40, tps: 80 }, chunks: 40, stream: true },
  { name: 'long stream', weight: 6, model: 'sim/slow', directive: { tokens: 40, tps: 30 }, chunks: 40, stream: true },
  { name: 'slow whole', weight: 6, model: 'sim/slow', directive: { tokens: 10, tps: 40 }, chunks: 10 },
  { name: 'tools', weight: 5, model: 'sim/tools', directive: {}, chunks: null, members: TOOLS },
  { name: 'streamed tools', weight: 4, model: 'sim/tools', directive: {}, chunks: null, stream: true, members: TOOLS },
  { name: 'exact prices', weight: 4, model: 'sim/reasoner', directive: { tokens: 9 }, chunks: 9 },
  { name: 'unreported usage', weight: 3, model: 'sim/no-usage', directive: {}, chunks: 16, stream: true },
  { name: 'failed over', weight: 3, model: 'sim/fast', directive: { only_on: 'sim-a', status: 500 }, chunks: 16 },
  {
    name: 'retried',
    weight: 3,
    model: 'sim/fast',
    directive: { fail_first: 1, status: 503 },
    chunks: 16,
    stream: true,
  },
  {
    name: 'cut upstream',
    weight: 2,
    model: 'sim/fast',
    directive: { cut_after: 5, tps: 200 },
    chunks: null,
    stream: true,
    expects: 'broken',
  },
  {
    name: 'client leaves',
    weight: 3,
    model: 'sim/slow',
    directive: { tokens: 60, tps: 30 },
    chunks: null,
    stream: true,
    expects: 'any',
    leaveAfter: 6,
  },
  { name: 'no money', weight: 3, model: 'sim/fast', directive: {}, chunks: null, expects: 'refused', poor: true },
];

const WEIGHTS = SHAPES.reduce((sum, shape) => sum + shape.weight, 0);

/** One scenario by weight; `chance` is uniform in [0, 1). */
export function scenario(nonce: string, chance: number): Scenario {
  let left = chance * WEIGHTS;
  for (const shape of SHAPES) {
    left -= shape.weight;
    if (left < 0) return fromShape(shape, nonce);
  }
  return fromShape(SHAPES[0] as Shape, nonce);
}

/** The smallest request that holds, calls and settles. */
export function probe(nonce: string): Scenario {
  return fromShape({ name: 'probe', weight: 0, model: 'sim/fast', directive: { tokens: 2 }, chunks: 2 }, nonce);
}

/** A stream of that many seconds. */
export function long(nonce: string, seconds: number): Scenario {
  const directive = { tokens: 90, tps: 90 / seconds };
  return fromShape({ name: 'long', weight: 0, model: 'sim/slow', directive, chunks: 90, stream: true }, nonce);
}

function fromShape(shape: Shape, nonce: string): Scenario {
  const stream = shape.stream ?? false;
  return {
    name: shape.name,
    model: shape.model,
    stream,
    expects: shape.expects ?? 'ok',
    chunks: shape.chunks,
    leaveAfter: shape.leaveAfter ?? null,
    poor: shape.poor ?? false,
    fresh: true,
    body: {
      model: shape.model,
      stream,
      user: nonce,
      max_tokens: 100,
      messages: [{ role: 'user', content: `Say something. @sim ${JSON.stringify({ id: nonce, ...shape.directive })}` }],
      ...shape.members,
    },
  };
}
