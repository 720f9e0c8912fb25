/** Webhooks on nodes in virtual time: the product's actors and handler; receivers are functions of the test. */
import type { ActivityHandler } from '../../actors/runtime/index.ts';
import { announceWebhook, mintSigningSecret } from '../../actors/terms/webhook.ts';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import { listDeliveries } from '../../actors/webhook/webhook.ts';
import config from '../../cluster.config.ts';
import { deliverHandler } from '../../gateway/jobs/webhook/deliver.ts';
import type { PostOutcome } from '../../gateway/outbound/public-exchange.ts';
import { Dice } from '../simulation/world/dice.ts';
import { JobWorld } from './job-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

/** One post, as its receiver sees it. */
export interface Post {
  readonly node: string;
  /** Store time at which it was sent, ms. */
  readonly at: number;
  readonly url: string;
  readonly body: string;
  readonly id: string;
  readonly signature: string;
}

type Receive = (post: Post) => PostOutcome | Promise<PostOutcome>;

export const PEPPER = Buffer.alloc(32, 7);
const URL_OF_HOOK = 'https://hooks.example.com/done';
/** Short waits: an hour of virtual time costs seconds of heartbeats. */
export const LIMITS = { ...config.webhooks, backOffMsMin: 2_000, backOffMsMax: 10_000 };
const LOOK_MS = 50;
const LOOKS_MAX = 20 * 120;
const RETENTION_MS = 30 * 24 * 3_600_000;

export class WebhookWorld extends JobWorld {
  readonly posts: Post[] = [];
  receive: Receive = () => ({ status: 200 });
  /** Called after an answer arrived and before it is recorded. */
  sent: (node: VirtualNode) => void | Promise<void> = () => {};
  readonly #random = new Dice(7);

  /** As a job does: the secret at its submission, the event at its end. */
  announce(via: VirtualNode, account: string, job: string, url = URL_OF_HOOK): void {
    const type = 'video.generation.completed';
    const document = JSON.stringify({ id: job, status: 'completed' });
    const told = { account, job, type, at: via.node.now(), url, document, retentionMs: RETENTION_MS } as const;
    for (const effect of [mintSigningSecret(account), announceWebhook(told)]) {
      if (effect.type === 'send') via.node.tell(effect.to, effect.event);
    }
  }

  async deliveries(via: VirtualNode, account: string): Promise<readonly DeliveryRecord[]> {
    const page = await listDeliveries(via.node, account, { limit: 100, after: null });
    return page?.deliveries ?? [];
  }

  /** The only delivery of the account, once it matches. */
  async until(via: VirtualNode, account: string, holds: (row: DeliveryRecord) => boolean): Promise<DeliveryRecord> {
    let row: DeliveryRecord | undefined;
    const look = async (): Promise<boolean> => {
      [row] = await this.deliveries(via, account);
      return row !== undefined && holds(row);
    };
    for (let looks = 0; !(await look()); looks++) {
      if (looks > LOOKS_MAX) throw new Error(`the delivery is not as expected: ${JSON.stringify(row)}`);
      await this.nodes.pause(LOOK_MS);
    }
    return row as DeliveryRecord;
  }

  protected activities(self: () => VirtualNode): Readonly<Record<string, ActivityHandler>> {
    const deliver = deliverHandler(
      () => ({
        ...{ cluster: self().node, random: this.#random, pepper: PEPPER, log: () => {}, crashpoint: () => {} },
        client: {
          post: async ({ url, headers, body }) => {
            const head = new Map(
              headers.flatMap((value, at) => (at % 2 === 0 ? [[value, headers[at + 1] ?? '']] : [])),
            );
            const signature = head.get('gateway-signature') ?? '';
            const id = head.get('gateway-idempotency-key') ?? '';
            const post = { node: self().process.name, at: self().node.now(), url, body, id, signature };
            this.posts.push(post);
            const outcome = await this.receive(post);
            await this.sent(self());
            return outcome;
          },
        },
      }),
      LIMITS,
    );
    return { deliver };
  }
}
