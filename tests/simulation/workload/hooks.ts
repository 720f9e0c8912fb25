import type { ActivityHandler } from '../../../actors/runtime/ports/activity.ts';
import type { DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';
import { findSigning } from '../../../actors/webhook/signing.ts';
import config from '../../../cluster.config.ts';
import { deliverHandler } from '../../../gateway/jobs/webhook/deliver.ts';
import { signingSecret } from '../../../gateway/jobs/webhook/signing-secret.ts';
import type { PublicPost } from '../../../gateway/outbound/public-client.ts';
import type { PostOutcome } from '../../../gateway/outbound/public-exchange.ts';
import type { HookPost, VideoEvidence } from '../../support/auditor/video-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { SimulatedProcess } from '../world/node.ts';
import { type Client, pause } from './client.ts';

const PEPPER = Buffer.alloc(32, 7);
const LIMITS = { ...config.webhooks, backOffMsMin: 100, backOffMsMax: 800 };
const URLS = ['https://one.example.com/hook', 'https://two.example.com/hook'];
/** A receiver that accepts nothing: the eighth attempt is the last. */
const DEAF = 'https://deaf.example.com/hook';
const DEAF_SHARE = 0.15;
const REFUSED_SHARE = 0.3;
const SILENT_SHARE = 0.1;
const POST_MS_MAX = 800;
const ATTEMPTS_MAX = 8;

/** The receivers of the webhooks, with a log of their own, and the product's handler that posts to them. */
export class Hooks {
  readonly #account: string;
  readonly #posts: HookPost[] = [];
  readonly #secrets: { readonly account: string; readonly secret: string }[] = [];
  readonly #history: History;
  readonly #database: Database;

  constructor(account: string, history: History, database: Database) {
    this.#account = account;
    this.#history = history;
    this.#database = database;
  }

  urlFor(dice: Dice): string {
    return dice.happens(DEAF_SHARE) ? DEAF : dice.pick(URLS);
  }

  handler(process: SimulatedProcess, dice: Dice): ActivityHandler {
    return deliverHandler(() => {
      if (process.node === null) throw new Error(`${process.name} posts before it has joined`);
      return {
        ...{ cluster: process.node, random: dice, pepper: PEPPER, log: () => {}, crashpoint: () => {} },
        client: { post: (post) => this.#receive(process, dice, post) },
      };
    }, LIMITS);
  }

  async #receive(process: SimulatedProcess, dice: Dice, { url, headers, body }: PublicPost): Promise<PostOutcome> {
    await pause(process, dice.between(1, POST_MS_MAX));
    if (dice.happens(SILENT_SHARE)) return { failure: 'unreachable', message: 'the receiver did not answer' };
    const status = url === DEAF || dice.happens(REFUSED_SHARE) ? 503 : 204;
    const [signature, id] = [headerOf(headers, 'gateway-signature'), headerOf(headers, 'gateway-idempotency-key')];
    if (this.#posts.some((post) => post.id === id && post.status === 204)) {
      this.#history.saw('webhook posted again after an unrecorded 2xx');
    }
    this.#posts.push({ at: this.#database.now(), id, body, signature, status });
    this.#history.note('post', { id, status, node: process.name });
    await pause(process, dice.between(1, POST_MS_MAX));
    return { status };
  }

  /** A delivery that has not ended; null without one. */
  get running(): string | null {
    const open = this.#deliveries().find(({ endedAt }) => endedAt === null);
    return open === undefined ? null : `webhook ${open.id} ${open.status}`;
  }

  async readSecret({ node }: Client): Promise<void> {
    const signing = await findSigning(node, this.#account).catch(() => null);
    if (signing === null) return;
    this.#secrets.push({ account: this.#account, secret: signingSecret(PEPPER, this.#account, signing.current) });
  }

  #deliveries(): readonly DeliveryRecord[] {
    return this.#database.tables.query({ collection: 'delivery', limit: 1_000 }).map(({ body }) => JSON.parse(body));
  }

  get evidence(): Pick<VideoEvidence, 'posts' | 'deliveries' | 'secrets'> {
    const deliveries = this.#deliveries();
    for (const { attempts, status } of deliveries) {
      if (attempts.some(({ outcome }) => outcome === 'interrupted')) this.#history.saw('webhook attempt interrupted');
      if (attempts.length === ATTEMPTS_MAX && status === 'failed') this.#history.saw('webhook given up after eight');
      if (attempts.length > 1 && status === 'delivered') this.#history.saw('webhook delivered by a later attempt');
    }
    return { posts: this.#posts, deliveries, secrets: this.#secrets };
  }
}

/** Of alternating names and values. */
function headerOf(headers: readonly string[], name: string): string {
  return headers[headers.indexOf(name) + 1] ?? '';
}
