/**
 * Gateways on nodes in virtual time, with the parts of the product that judge a request by its key: authentication,
 * budgets, the workspace's settings and the admission by the key's actor.
 */

import { admit } from '../../actors/key/key.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import type { Admission } from '../../actors/terms/hold.ts';
import { keyDigest } from '../../actors/terms/ids.ts';
import config from '../../cluster.config.ts';
import { AccountedBudgets } from '../../gateway/edge/auth/accounted-budgets.ts';
import { type Authenticated, Authentication } from '../../gateway/edge/auth/authentication.ts';
import { ClientAddresses } from '../../gateway/http/client-addresses.ts';
import { Workspaces } from '../../gateway/routing/workspaces.ts';
import { GatewayError } from '../../gateway/terms/gateway-error.ts';
import * as words from '../support/model/words.ts';
import { JobWorld, WITHIN_MS } from './job-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

const PEPPER = Buffer.alloc(32, 7);
const RATES = { ...config.rates, keyPerMinute: 1_000_000, addressPerMinute: 1_000_000 };
const REMOTE = { socket: { remoteAddress: '10.0.0.1' }, headers: {} };

/** How a gateway answers: `ok`, or the status, with the scope of a 402; behind it what its workspace demands. */
export type Told = string;

export class KeyWorld extends JobWorld {
  readonly #gateways = new Map<VirtualNode, Gateway>();
  #requests = 0;

  protected activities(): Readonly<Record<string, never>> {
    return {};
  }

  /** One request of the key through this node: entered, routed by its workspace, and admitted with a hold of 1 USD. */
  async ask(via: VirtualNode, key: string): Promise<Told> {
    const known = this.#gateways.get(via) ?? new Gateway(via.node, via.process.clock);
    this.#gateways.set(via, known);
    return known.ask(key, `gen-${++this.#requests}`);
  }
}

class Gateway {
  readonly #node: Cluster;
  readonly #authentication: Authentication;
  readonly #workspaces: Workspaces;

  constructor(node: Cluster, clock: Clock) {
    this.#node = node;
    const budgets = new AccountedBudgets({ cluster: node, rates: RATES, askMs: WITHIN_MS, nodes: 3 });
    const { callersMax, deadKeyMs } = config.edge;
    const clients = new ClientAddresses([]);
    this.#authentication = new Authentication({
      cluster: node,
      budgets,
      clients,
      pepper: PEPPER,
      callersMax,
      deadKeyMs,
    });
    this.#workspaces = new Workspaces(node, clock, config);
  }

  async ask(key: string, generation: string): Promise<Told> {
    const context: Authenticated = {
      ...{ credential: { type: 'key', key }, caller: null, address: null, digest: null, counted: false },
    };
    try {
      await this.#authentication.enter(context, 'key', REMOTE);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return `${thrown.status}`;
      throw thrown;
    }
    if (context.caller === null) throw new Error('a request enters without a caller');
    const { account, workspace = null, key: address } = context.caller;
    const routing = await this.#workspaces.routingOf(account.slice('account:'.length), workspace);
    const request = words.request(generation, '1', {
      ...{ deadlineAt: this.#node.now() + 3_600_000, gateway: this.#node.self.incarnation },
    });
    const options = { perMinute: RATES.keyPerMinute, withinMs: WITHIN_MS };
    const admission = await admit(this.#node, address, request, options);
    if (!admission.admitted) this.#remember(context, admission);
    return `${wordOf(admission)}${routing.zeroRetention ? ' zdr' : ''}`;
  }

  /** As the edge does with every refusal of an admission. */
  #remember(context: Authenticated, { refusal }: Exclude<Admission, { admitted: true }>): void {
    const { status, type, message } = refusal;
    this.#authentication.remember(context, new GatewayError({ status, type, message } as never));
  }
}

function wordOf(admission: Admission): string {
  if (admission.admitted) return 'ok';
  const { status, metadata } = admission.refusal;
  return metadata?.scope === undefined ? `${status}` : `${status} ${metadata.scope}`;
}

export function digestOf(key: string): string {
  return keyDigest(PEPPER, key);
}
