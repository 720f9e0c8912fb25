/** Webhooks while nodes die, stall and lose their links at random moments, from a seed, on virtual time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import type { PostOutcome } from '../../gateway/outbound/public-exchange.ts';
import { Dice } from '../simulation/world/dice.ts';
import { deliveriesAreBounded } from '../support/auditor/hooks.ts';
import type { HookPost, VideoEvidence } from '../support/auditor/video-evidence.ts';
import { bounded } from '../support/bounded.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { WebhookWorld } from './webhook-world.ts';

const it = bounded(test, 120_000);
const ACCOUNTS = ['acct_1', 'acct_2', 'acct_3', 'acct_4'] as const;
const STEPS = 25;
const STEP_MS = 1_000;

const ANSWERS: readonly PostOutcome[] = [
  { status: 200 },
  { status: 204 },
  { status: 500 },
  { status: 302 },
  { failure: 'timeout', message: 'no answer' },
  { failure: 'unreachable', message: 'refused' },
];

class Weather {
  readonly world = new WebhookWorld();
  readonly answered: HookPost[] = [];
  readonly #dice: Dice;
  #live: VirtualNode[] = [];
  #names = 3;
  /** The next answered post is followed by the death of its node, before the answer is recorded. */
  #isFatal = false;
  faults = 0;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    this.world.receive = async ({ id, body, at, signature }) => {
      await this.world.nodes.pause(this.#dice.between(5, 400));
      const answer = this.#dice.pick(ANSWERS);
      this.answered.push({ at, id, body, signature, status: 'status' in answer ? answer.status : 0 });
      return answer;
    };
    this.world.sent = async (node) => {
      if (!this.#isFatal || !this.#live.includes(node) || this.#live.length < 3) return;
      this.#isFatal = false;
      await this.#kill(node);
      await new Promise(() => {});
    };
  }

  async run(): Promise<void> {
    this.#live = await this.world.start('n1', 'n2', 'n3');
    for (let step = 0; step < STEPS; step++) {
      const account = this.#dice.pick(ACCOUNTS);
      this.world.announce(this.#dice.pick(this.#live), account, `vjob_${step}`);
      if (this.#dice.happens(0.3)) await this.#fault();
      await this.world.nodes.pause(STEP_MS);
    }
    this.world.nodes.heal();
    this.#isFatal = false;
  }

  async #fault(): Promise<void> {
    this.faults++;
    const [first, second] = [this.#dice.pick(this.#live), this.#dice.pick(this.#live)];
    const share = this.#dice.fraction();
    if (share < 0.35 && this.#live.length >= 3) await this.#kill(first);
    else if (share < 0.6) this.#isFatal = true;
    else if (share < 0.8) await this.world.nodes.stallFor(first, this.#dice.between(500, 6_000));
    else {
      this.world.nodes.cut(first.process.name, second.process.name);
      await this.world.nodes.pause(this.#dice.between(500, 4_000));
      this.world.nodes.heal();
    }
  }

  /** Another node joins in its place. */
  async #kill(node: VirtualNode): Promise<void> {
    this.#live = this.#live.filter((each) => each !== node);
    await node.kill();
    const [next] = await this.world.start(`n${++this.#names}`);
    if (next !== undefined) this.#live.push(next);
  }

  /** A node that serves; nodes that were voted out have ended. */
  get node(): VirtualNode {
    const found = this.#live.find((node) => node.process.running && node.node.ready && node.node.connected);
    if (found === undefined) throw new Error('no node serves');
    return found;
  }
}

for (const seed of [1, 2, 3]) {
  it(`seed ${seed}: every event ends, with at most eight posts of one text (rule V39)`, async () => {
    const weather = new Weather(seed);
    const { world } = weather;
    try {
      await weather.run();
      const rows = async () => (await Promise.all(ACCOUNTS.map((each) => world.deliveries(weather.node, each)))).flat();
      const isEnded = ({ status }: DeliveryRecord) => status === 'delivered' || status === 'failed';
      const deliveries = await world.seen(rows, (all) => all.every(isEnded), 'every delivery has ended');
      assert.ok(weather.faults > 2 && deliveries.length > STEPS / 2, `${weather.faults}, ${deliveries.length}`);
      const posts = world.posts.map(
        (post) =>
          weather.answered.find((each) => each.signature === post.signature && each.at === post.at) ?? {
            ...post,
            status: 0,
          },
      );
      const check = deliveriesAreBounded({ posts, deliveries } as unknown as VideoEvidence);
      assert.equal(check.violations, []);
    } finally {
      await world.nodes.close();
    }
  });
}

test.run();
