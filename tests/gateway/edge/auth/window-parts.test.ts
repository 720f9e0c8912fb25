import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateWindowKind } from '../../../../actors/rate-window/rate-window.ts';
import type { Clock, Cluster } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { AccountedBudgets } from '../../../../gateway/edge/auth/accounted-budgets.ts';
import { EndpointWindow, type WindowTaken } from '../../../../gateway/edge/auth/endpoint-window.ts';
import { windowPart } from '../../../../gateway/edge/auth/window-part.ts';
import type { RateLimits } from '../../../../gateway/terms/config/config.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { PureActors } from '../../../support/model/pure-actors.ts';

const it = bounded(test, 120_000);
const START = 1_763_690_400_000;
const MINUTE = 60_000;
const TICK_MS = 20;

interface Load {
  readonly asker: string;
  readonly holder: string;
  readonly perSecond: number;
  /** Returns what it took, as a refused request does. */
  readonly refused?: boolean;
  readonly node?: number;
  /** When the first request comes, as a fraction of the interval between two. */
  readonly phase?: number;
}

/** The windows of several nodes over the real actors, on one virtual clock. */
class Nodes {
  readonly actors = new PureActors([rateWindowKind], START);
  readonly windows: readonly EndpointWindow[];
  messages = 0;
  /** Requests served in each minute, by asker. */
  served: Map<string, number>[] = [new Map()];
  refusals = new Map<string, GatewayError>();
  readonly #timers = new Set<{ at: number; run: () => void }>();

  constructor(nodes: number, rates: Partial<RateLimits> = {}) {
    const cluster = {
      now: () => this.actors.now,
      ask: async (to: string, event: never) => {
        this.messages++;
        return this.actors.ask(to, event);
      },
      tell: (to: string, event: never) => {
        this.messages++;
        this.actors.tell(to, event);
      },
    } as unknown as Cluster;
    const clock: Clock = {
      now: () => this.actors.now,
      monotonic: () => this.actors.now,
      after: (delayMs, run) => {
        const timer = { at: this.actors.now + delayMs, run };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
    };
    this.windows = Array.from({ length: nodes }, () => {
      const budgets = new AccountedBudgets({ cluster, rates: { ...config.rates, ...rates }, askMs: 1_000, nodes });
      return new EndpointWindow(budgets, clock, { now: () => this.actors.now, idleMs: 1_000, part: budgets.part });
    });
  }

  async request({ asker, holder, refused = false }: Load, node: number): Promise<boolean> {
    const window = this.windows[node % this.windows.length] as EndpointWindow;
    let taken: WindowTaken;
    try {
      taken = await window.take({ asker, holder });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.refusals.set(asker, error);
      return false;
    }
    if (refused) window.giveBack(taken);
    else this.#count(asker);
    return true;
  }

  /** Lets the loads ask for so long; returns how many requests of each asker were not served, over all. */
  async run(ms: number, loads: readonly Load[]): Promise<Map<string, number>> {
    const missed = new Map<string, number>();
    const due = loads.map(({ phase = 0 }) => phase);
    const sent = loads.map(() => 0);
    for (const endsAt = this.actors.now + ms; this.actors.now < endsAt; this.#pass(TICK_MS)) {
      const asked: Promise<void>[] = [];
      loads.forEach((load, at) => {
        due[at] = (due[at] as number) + (load.perSecond * TICK_MS) / 1_000;
        while ((sent[at] as number) < Math.floor(due[at] as number)) {
          const node = load.node ?? (sent[at] as number);
          sent[at] = (sent[at] as number) + 1;
          asked.push(
            this.request(load, node).then((served) => {
              if (!served) missed.set(load.asker, (missed.get(load.asker) ?? 0) + 1);
            }),
          );
        }
      });
      await Promise.all(asked);
    }
    return missed;
  }

  get minute(): number {
    return Math.floor((this.actors.now - START) / MINUTE);
  }

  servedIn(minute: number, asker: (name: string) => boolean = () => true): number {
    let sum = 0;
    for (const [name, count] of this.served[minute] ?? []) if (asker(name)) sum += count;
    return sum;
  }

  #count(asker: string): void {
    this.served[this.minute] ??= new Map();
    const counts = this.served[this.minute] as Map<string, number>;
    counts.set(asker, (counts.get(asker) ?? 0) + 1);
  }

  #pass(ms: number): void {
    this.actors.now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.actors.now) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }
}

const tenant = (name: string, perSecond: number, more: Partial<Load> = {}): Load => ({
  ...{ asker: `account:${name}`, holder: `account:${name}`, perSecond },
  ...more,
});
const stranger = (address: string, perSecond: number): Load => ({ asker: address, holder: 'strangers', perSecond });
const is = (name: string) => (asker: string) => asker === name;

it('a part is what all nodes together can grant', () => {
  for (const nodes of [1, 2, 3, 7, 50]) {
    for (const [endpointPerMinute, partPercentMax] of [
      [6_000, 25],
      [6_000, 99],
      [20, 25],
      [1, 1],
    ] as const) {
      const { max, free, pool } = windowPart({ ...config.rates, endpointPerMinute, partPercentMax }, nodes);
      assert.is(free * nodes + pool, max);
      assert.ok(max >= 1 && max <= endpointPerMinute && free >= 0 && pool >= 0);
    }
  }
  assert.is(windowPart({ ...config.rates, partPercentMax: 100 }, 3).free, 6_000);
});

for (const [nodes, minutes, flooding] of [
  [1, 1, 100],
  [2, 2, 800],
  [3, 1, 100],
] as const) {
  it(`a tenant and strangers at full strength take no more than their parts, over ${nodes} nodes (rule E15)`, async () => {
    const cluster = new Nodes(nodes);
    const strangers = Array.from({ length: 50 }, (_, i) => stranger(`v4-10.0.0.${i}`, 2));
    const loads = [tenant('flood', flooding), ...strangers, tenant('quiet', 5), tenant('other', 20)];
    const missed = await cluster.run(minutes * MINUTE, loads);
    assert.is(missed.get('account:quiet') ?? 0, 0);
    assert.is(missed.get('account:other') ?? 0, 0);
    for (let minute = 0; minute < minutes; minute++) {
      const flood = cluster.servedIn(minute, is('account:flood'));
      const others = cluster.servedIn(minute, (name) => name.startsWith('v4-'));
      assert.ok(flood <= 1_500 && flood >= 1_300, `${flood} of the flood in minute ${minute}`);
      assert.ok(others <= 1_500 && others >= 1_300, `${others} of the strangers in minute ${minute}`);
      assert.ok(cluster.servedIn(minute) <= 6_000);
    }
    const refusal = cluster.refusals.get('account:flood');
    assert.is(refusal?.status, 429);
    assert.match(refusal?.message ?? '', /at most 1500 .* while others ask/);
    assert.is(refusal?.headers['x-ratelimit-limit'], '1500');
  });

  it(`who asks alone takes exactly the whole window, over ${nodes} nodes`, async () => {
    const cluster = new Nodes(nodes);
    await cluster.run(2 * MINUTE, [tenant('alone', 110)]);
    assert.equal([cluster.servedIn(0), cluster.servedIn(1)], [6_000, 6_000]);
  });
}

it('requests that are refused take nothing, however many, on whatever node', async () => {
  const cluster = new Nodes(3);
  const refused = [
    tenant('limited', 300, { refused: true }),
    { ...stranger('v4-10.0.0.1', 300), refused: true },
    tenant('slow', 1, { refused: true, node: 1 }),
  ];
  await cluster.run(MINUTE - 10_000, refused);
  assert.equal([...cluster.refusals.keys()], []);
  // What idle nodes hold comes back within a second.
  await cluster.run(2_000, []);
  await cluster.run(
    8_000,
    Array.from({ length: 6 }, (_, i) => tenant(`t${i}`, 400)),
  );
  assert.ok(cluster.servedIn(0) > 5_900 && cluster.servedIn(0) <= 6_000, `${cluster.servedIn(0)} of 6000`);
});

it('a tenant that comes later finds its requests served from the next window on, and then in every one', async () => {
  const cluster = new Nodes(3);
  const flood = tenant('flood', 210);
  await cluster.run(30_000, [flood]);
  assert.is(cluster.servedIn(0), 6_000);
  // Alone until now, the flood took all. From now on others ask.
  await cluster.run(30_000, [flood, tenant('quiet', 5, { node: 2 })]);
  const missed = await cluster.run(2 * MINUTE, [flood, tenant('quiet', 5, { node: 2 })]);
  assert.is(missed.get('account:quiet') ?? 0, 0);
  for (const minute of [1, 2]) assert.ok(cluster.servedIn(minute, is('account:flood')) <= 1_500);
  // Alone again, the flood is bounded for one more window.
  await cluster.run(2 * MINUTE, [flood]);
  assert.ok(cluster.servedIn(3, is('account:flood')) <= 1_500);
  assert.is(cluster.servedIn(4), 6_000);
});

it('a tenant that begins while another floods within its part stops the flood at its part', async () => {
  const cluster = new Nodes(2);
  await cluster.run(1_000, [tenant('flood', 800, { node: 0 })]);
  const missed = await cluster.run(MINUTE - 1_000, [
    tenant('flood', 800, { node: 0 }),
    tenant('quiet', 5, { node: 1 }),
  ]);
  assert.is(missed.get('account:quiet') ?? 0, 0);
  assert.ok(cluster.servedIn(0, is('account:flood')) <= 1_500);
});

it('accounts of few requests cost no message of their own', async () => {
  const cluster = new Nodes(3);
  const tenants = Array.from({ length: 60 }, (_, i) => tenant(`t${i}`, 1, { node: i, phase: i / 60 }));
  const missed = await cluster.run(MINUTE, tenants);
  assert.is(missed.size, 0);
  assert.is(cluster.servedIn(0), 3_600);
  assert.ok(cluster.messages < 60, `${cluster.messages} messages for 3600 requests`);
});

it('a flood within its part costs a message for many requests, and one beyond it none', async () => {
  const cluster = new Nodes(3);
  await cluster.run(MINUTE, [tenant('flood', 400), tenant('quiet', 1)]);
  assert.ok(cluster.messages < 200, `${cluster.messages} messages for 24000 requests`);
});

test.run();
