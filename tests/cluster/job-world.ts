/** Nodes in virtual time with the product's kinds; what their activities do is the world's own. */
import { createAccount, creditDeposit } from '../../actors/account/account.ts';
import { createKey } from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import type { ActivityHandler, ReportedRow } from '../../actors/runtime/index.ts';
import type { Waits } from '../../actors/runtime/ports/activity.ts';
import { accountAddress, keyAddress } from '../../actors/terms/ids.ts';
import * as words from '../support/model/words.ts';
import { type VirtualNode, VirtualNodes } from './virtual-nodes.ts';

export const WITHIN_MS = 10_000;

export abstract class JobWorld {
  readonly nodes = new VirtualNodes();
  /** Actors for which the drain of a node has waited beyond its grace, once a second. */
  readonly waits: string[] = [];
  /** What the owners of accounts report of charges that came late or exceeded their hold, with the owner's name. */
  readonly reported: { readonly node: string; readonly row: ReportedRow }[] = [];

  /** The handlers of a node; `self` is known once the node has started. */
  protected abstract activities(self: () => VirtualNode): Readonly<Record<string, ActivityHandler>>;

  async start(...names: string[]): Promise<VirtualNode[]> {
    const nodes = await Promise.all(names.map((name) => this.#start(name)));
    await this.nodes.until(() => nodes.every(({ node }) => node.ready), 'the nodes are ready');
    return nodes;
  }

  /** An account with a key and 1,000 USD. Returns the account's id. */
  async fund(via: VirtualNode, account: string): Promise<string> {
    await createAccount(via.node, accountAddress(account), 'Ada', WITHIN_MS);
    await creditDeposit(via.node, accountAddress(account), { id: 'dep-1', amount: '1000' }, WITHIN_MS);
    const { type: _, ...key } = words.createKeyEvent({ digest: account.padEnd(64, '0').replace(/[^0-9a-f]/g, '0') });
    await createKey(via.node, keyAddress(account, 'key_1'), key as never, WITHIN_MS);
    return account;
  }

  async #start(name: string): Promise<VirtualNode> {
    let started: VirtualNode | null = null;
    const self = (): VirtualNode => {
      if (started === null) throw new Error('an activity begins before its node');
      return started;
    };
    const onWaiting = ({ addresses }: Waits): void => void this.waits.push(...addresses);
    const onReported = (row: ReportedRow): void => void this.reported.push({ node: name, row });
    started = await this.nodes.start(name, { kinds, activities: this.activities(self), onWaiting, onReported });
    return started;
  }
}
