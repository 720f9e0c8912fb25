/**
 * Nodes in virtual time with the product's kinds and activities, bytes in memory, and accounts. What is outside is the
 * test's: providers answer calls, and receivers take webhooks.
 */
import * as assert from 'uvu/assert';
import { createAccount, creditDeposit, showAccount } from '../../actors/account/account.ts';
import { declareEndpoint, ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import { createKey } from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import type { ActivityHandler, ReportedRow } from '../../actors/runtime/index.ts';
import type { Waits } from '../../actors/runtime/ports/activity.ts';
import type { EndpointDeclaration } from '../../actors/terms/endpoint.ts';
import { accountAddress, keyAddress } from '../../actors/terms/ids.ts';
import config from '../../cluster.config.ts';
import { lineHandler } from '../../gateway/jobs/batch/run-line.ts';
import { resultsHandler } from '../../gateway/jobs/batch/write-results.ts';
import { abortHandler } from '../../gateway/jobs/video/abort-handler.ts';
import { renderHandler } from '../../gateway/jobs/video/render-handler.ts';
import { removalHandler } from '../../gateway/jobs/video/store-clip.ts';
import { deliverHandler, type WebhookServices } from '../../gateway/jobs/webhook/deliver.ts';
import type { Outbound, OutboundReply } from '../../gateway/outbound/outbound.ts';
import { OutboundError } from '../../gateway/outbound/outbound-error.ts';
import type { PostOutcome } from '../../gateway/outbound/public-exchange.ts';
import { type NodeServices, nodeServices } from '../gateway/stage.ts';
import { Dice } from '../simulation/world/dice.ts';
import { memoryFiles } from '../support/memory-files.ts';
import * as words from '../support/model/words.ts';
import { pieces } from '../support/pieces.ts';
import { TESTER } from '../support/tester.ts';
import { type VirtualNode, VirtualNodes } from './virtual-nodes.ts';

export const WITHIN_MS = 10_000;
export const PEPPER = Buffer.alloc(32, 7);
/** Short waits: an hour of virtual time costs seconds of heartbeats. */
export const HOOK_LIMITS = { ...config.webhooks, backOffMsMin: 2_000, backOffMsMax: 10_000 };
const LOOK_MS = 50;

/** A call of a node to a provider. */
export interface ProviderCall {
  readonly node: string;
  readonly url: string;
  readonly body: string;
  /** Store time, ms. */
  readonly at: number;
  /** It stays open if its node dies. */
  end: 'open' | 'answered' | 'cut';
}

/** A provider answers after so many ms of the world. */
export interface ProviderReply {
  readonly afterMs: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

/** One post of a webhook, as its receiver sees it. */
export interface Post {
  readonly node: string;
  /** Store time at which it was sent, ms. */
  readonly at: number;
  readonly url: string;
  readonly body: string;
  readonly id: string;
  readonly signature: string;
}

export class World {
  readonly nodes = new VirtualNodes();
  readonly random = new Dice(1);
  readonly bytes = memoryFiles(this.nodes.clock, this.random);
  /** Calls to providers, in order. */
  readonly calls: ProviderCall[] = [];
  readonly posts: Post[] = [];
  /** Actors for which the drain of a node has waited beyond its grace, once a second. */
  readonly waits: string[] = [];
  /** What the owners of accounts report of charges that came late or exceeded their hold, with the owner's name. */
  readonly reported: { readonly node: string; readonly row: ReportedRow }[] = [];
  /** How the nodes render videos; read when a node starts. */
  renders = { ...config.renders, pollMsMin: 1_000, pollMsMax: 1_000 };
  /** Called after a receiver's answer arrived and before it is recorded. */
  sent: (node: VirtualNode) => void | Promise<void> = () => {};

  provider(call: ProviderCall): ProviderReply {
    throw new Error(`nobody answers ${call.url}`);
  }

  receive: (post: Post) => PostOutcome | Promise<PostOutcome> = () => ({ status: 200 });

  async start(...names: string[]): Promise<VirtualNode[]> {
    const nodes = await Promise.all(names.map((name) => this.#start(name)));
    await this.nodes.until(() => nodes.every(({ node }) => node.ready), 'the nodes are ready');
    return nodes;
  }

  /** An account with a key and 1,000 USD. Returns the account's id. */
  async fund(via: VirtualNode, account: string): Promise<string> {
    await createAccount(via.node, accountAddress(account), 'Ada', WITHIN_MS);
    await creditDeposit(via.node, accountAddress(account), { id: 'dep-1', amount: '1000', by: TESTER }, WITHIN_MS);
    const { type: _, ...key } = words.createKeyEvent({ digest: account.padEnd(64, '0').replace(/[^0-9a-f]/g, '0') });
    await createKey(via.node, keyAddress(account, 'key_1'), key as never, WITHIN_MS);
    return account;
  }

  /** Declares an endpoint and waits until each of these nodes lists it. */
  async list(nodes: readonly VirtualNode[], endpoint: EndpointDeclaration): Promise<void> {
    await declareEndpoint((nodes[0] as VirtualNode).node, endpoint, WITHIN_MS);
    const isListed = ({ node }: VirtualNode) => node.board.read(ENDPOINTS_TOPIC, endpoint.id) !== undefined;
    await this.nodes.until(() => nodes.every(isListed), 'every node lists the endpoint');
  }

  /** What `read` resolves with, once it matches. */
  async seen<T>(read: () => Promise<T>, holds: (found: T) => boolean, what: string, withinMs = 600_000): Promise<T> {
    const end = this.nodes.clock.monotonic() + withinMs;
    for (;;) {
      const found = await read();
      if (holds(found)) return found;
      if (this.nodes.clock.monotonic() > end) throw new Error(`not in time: ${what}; ${JSON.stringify(found)}`);
      await this.nodes.pause(LOOK_MS);
    }
  }

  /** The account was charged this much, digit for digit, and nothing is held. */
  async audit(via: VirtualNode, account: string, charged: number): Promise<void> {
    const { charges, held, holds } = await showAccount(via.node, accountAddress(account), WITHIN_MS);
    assert.equal([Number(charges), held, holds], [charged, '0', 0]);
  }

  async #start(name: string): Promise<VirtualNode> {
    let started: VirtualNode | null = null;
    const self = (): VirtualNode => {
      if (started === null) throw new Error('an activity begins before its node');
      return started;
    };
    const onWaiting = ({ addresses }: Waits): void => void this.waits.push(...addresses);
    const onReported = (row: ReportedRow): void => void this.reported.push({ node: name, row });
    started = await this.nodes.start(name, { kinds, activities: this.#activities(self), onWaiting, onReported });
    return started;
  }

  /** The product's handlers on a node; `self` is known once the node has started. */
  #activities(self: () => VirtualNode): Readonly<Record<string, ActivityHandler>> {
    const { renders } = this;
    let opened: NodeServices | null = null;
    const services = (): NodeServices => {
      opened ??= nodeServices({
        files: { ...this.bytes.filesOf(self().node, self().process.clock), askMs: WITHIN_MS },
        outbound: this.#outbound(self()),
        renders,
      });
      return opened;
    };
    return {
      line: lineHandler(services),
      results: resultsHandler(services),
      render: renderHandler(services, renders),
      abort: abortHandler(services, renders),
      removal: removalHandler(() => this.bytes.blobs),
      deliver: deliverHandler(() => this.#hooks(self()), HOOK_LIMITS),
    };
  }

  #outbound({ node, process }: VirtualNode): Outbound {
    return {
      send: async ({ url, body, begun }) => {
        const text = typeof body === 'string' || body === null ? body : String(await pieces.gather(body.chunks()));
        const call: ProviderCall = {
          node: process.name,
          url: url.origin + url.path,
          body: text ?? '',
          at: node.now(),
          end: 'open',
        };
        this.calls.push(call);
        const reply = this.provider(call);
        return new Promise((resolve, reject) => {
          const end = (how: 'answered' | 'cut', then: () => void) => (): void => {
            if (call.end !== 'open') return;
            call.end = how;
            then();
          };
          process.clock.after(
            reply.afterMs,
            end('answered', () => resolve(replyOf(reply))),
          );
          begun?.(end('cut', () => reject(new OutboundError('aborted', 'the gateway cut the call'))));
        });
      },
      close: async () => {},
    };
  }

  #hooks(self: VirtualNode): WebhookServices {
    const { node, process } = self;
    const client: WebhookServices['client'] = {
      post: async ({ url, headers, body }) => {
        const header = (name: string): string => headers[headers.indexOf(name) + 1] ?? '';
        const [id, signature] = [header('gateway-idempotency-key'), header('gateway-signature')];
        const post: Post = { node: process.name, at: node.now(), url, body, id, signature };
        this.posts.push(post);
        const outcome = await this.receive(post);
        await this.sent(self);
        return outcome;
      },
    };
    return { cluster: node, random: this.random, pepper: PEPPER, log: () => {}, crashpoint: () => {}, client };
  }
}

function replyOf({ type = 'application/json', body }: ProviderReply): OutboundReply {
  const unread = [Buffer.from(body)];
  return {
    status: 200,
    header: (name) => (name === 'content-type' ? type : null),
    body: {
      read: async () => (unread.length === 0 ? null : unread.splice(0)),
      text: async () => Buffer.concat(unread.splice(0)).toString(),
      progressed: () => {},
      abort: () => {},
    },
  };
}

export interface Scene<W> {
  readonly world: W;
  readonly trio: readonly [VirtualNode, VirtualNode, VirtualNode];
  /** Owns the account and all that is its own, so it runs the activities of its jobs. */
  readonly owner: VirtualNode;
  readonly other: VirtualNode;
  /** It has money. */
  readonly account: string;
}

/** Runs in a world of three nodes that begins with one account. */
export async function inWorld<W extends World>(world: W, run: (scene: Scene<W>) => Promise<void>): Promise<void> {
  try {
    const trio = (await world.start('n1', 'n2', 'n3')) as unknown as Scene<W>['trio'];
    const account = await world.fund(trio[0], 'acct_1');
    const owner = trio.find(({ node }) => node.owns(accountAddress(account))) as VirtualNode;
    const other = trio.find((node) => node !== owner) as VirtualNode;
    await run({ world, trio, owner, other, account });
  } finally {
    await world.nodes.close();
  }
}
