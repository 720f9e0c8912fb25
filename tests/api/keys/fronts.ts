/**
 * The three fronts of what an owner may do: the API with a management key, the pages with a session, and the operator's
 * command line, on one cluster whose workspace defaults are not the product's.
 */
import * as assert from 'uvu/assert';
import { listKeys } from '../../../actors/key/credential.ts';
import { showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { failureOf, told } from '../../gateway/operator/cli/in-process.ts';
import { operatorOptions, reasoned } from '../../support/cluster/operator-options.ts';
import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { fieldsOf, originOf, Visitor } from '../pages/visitor.ts';
import { type Client, client } from './client.ts';

const ASK_MS = 30_000;

const openShared = sharedCluster({
  nodes: 1,
  rates: UNLIMITED,
  simulators: ['sim-a'],
  // Neither is the default: a front that does not know the configuration makes another workspace.
  workspace: { zeroRetention: true, partition: 'none' },
});

/** An account with all that its fronts need. */
export interface Owner {
  readonly id: string;
  /** An inference key. */
  readonly key: string;
  readonly api: Client;
  readonly page: Visitor;
}

/** The names of the keys that an owner has from the start. */
const OWN = ['first', 'manager'];

export class Fronts {
  readonly cluster: TestCluster;
  /** The options with which commands reach the cluster. */
  readonly at: readonly string[];

  static async open(): Promise<Fronts> {
    const cluster = await openShared();
    return new Fronts(cluster, await operatorOptions(cluster));
  }

  constructor(cluster: TestCluster, at: readonly string[]) {
    this.cluster = cluster;
    this.at = at;
  }

  get node(): TestCluster['nodes'][number]['cluster'] {
    const [{ cluster }] = this.cluster.nodes as [TestCluster['nodes'][number]];
    return cluster;
  }

  async owner(): Promise<Owner> {
    const { account, key } = await this.cluster.fund('10', { name: 'first' });
    const manager = await this.cluster.issue(account, { kind: 'management', name: 'manager' });
    const page = new Visitor(originOf(this.cluster));
    await page.signIn(manager.key);
    return { id: account.slice('account:'.length), key, api: client(this.cluster.baseUrls, manager.key), page };
  }

  /** The keys that were made for an owner, newest first. */
  async keysOf({ id }: Owner): Promise<readonly KeyView[]> {
    const rows = await listKeys(this.node, accountAddress(id), 100);
    const views = await Promise.all(rows.map(({ key }) => showKey(this.node, key, paced(ASK_MS))));
    return views.filter(({ name }) => !OWN.includes(name));
  }

  /** The JSON that a command prints. */
  async ran<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await told([...reasoned(args), '--json', ...this.at])) as T;
  }

  /** What a command prints. */
  told(...args: readonly string[]): Promise<string> {
    return told([...args, ...this.at]);
  }

  /** The message of a command that fails. */
  async failure(...args: readonly string[]): Promise<string> {
    return (await failureOf([...reasoned(args), ...this.at])).replace(/^troupe: /, '').trimEnd();
  }
}

/** The message of the API's refusal. */
export async function refusal(answer: ReturnType<Client['send']>): Promise<string> {
  const { status, body } = await answer;
  assert.ok(status >= 400, JSON.stringify(body));
  return (body as { error: { message: string } }).error.message;
}

/** Sends a form; the message of a refusal, else the page. */
export async function post({ page }: Owner, path: string, fields: Record<string, string>): Promise<string> {
  const { token = '' } = fieldsOf(await page.get('/account/keys'), '/account/keys');
  const { status, text } = await page.post(path, { token, ...fields });
  return status < 400 ? text : (/role="alert">([^<]*)</.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? text);
}

/** The rest of a key: what differs between any two is left out. */
export function comparable(view: KeyView): object {
  const { key: _1, account: _2, label: _3, handle: _4, createdAt: _5, updatedAt: _6, createdBy: _7, ...rest } = view;
  return rest;
}
