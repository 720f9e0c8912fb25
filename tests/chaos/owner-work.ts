import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaidIn } from '../../actors/account/deposits.ts';
import type { Credential } from '../../actors/key/credential.ts';
import type { PaymentRecord } from '../../actors/payment/payment-state.ts';
import type { Evidence, KeyDeclared, KeyUsage } from '../support/auditor/evidence.ts';
import type { KeyChange } from '../support/auditor/key-evidence.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { railOf } from '../support/x402.ts';
import { deposit, openManagers } from './bank.ts';
import { call } from './call.ts';
import type { FacilitatorProcess } from './facilitator.ts';
import { KeyWork } from './key-work.ts';
import { until } from './nemesis.ts';
import { PaymentWork } from './payment-work.ts';
import { digits, ReadWork } from './read-work.ts';
import type { Payer, Workload } from './workload.ts';

interface OwnerWorkOptions {
  readonly cluster: LaunchedCluster;
  readonly facilitator: FacilitatorProcess;
  readonly payers: readonly Payer[];
  readonly workload: Workload;
  /** Uniform in [0, 1). */
  readonly chance: () => number;
}

type OwnerEvidence = Pick<Evidence, 'keyChanges' | 'payments' | 'keys' | 'usages' | 'reads' | 'readsLagMs'>;

type UsageSeen = Omit<KeyUsage, 'key'> & { readonly hash: string };

/** Accounts whose keys change, and accounts that pay. */
const MANAGED = 3;
const PAYING = 3;
const KEYS_PER_PAGE = 100;
/** Reads may lag by this on any node. (rule K45) */
const LAG_MS = 2_000;
const CREDITED_MS = 60_000;

/** What the owners of accounts do beside the requests of a run: keys, payments, and reads of their credits. */
export class OwnerWork {
  readonly #options: OwnerWorkOptions;
  readonly #managers: readonly Payer[];
  readonly #keys: KeyWork;
  readonly #payments: PaymentWork;
  readonly #reads: ReadWork;
  #usages: readonly UsageSeen[] = [];

  private constructor(options: OwnerWorkOptions, managers: readonly Payer[]) {
    const { cluster, payers, workload, chance } = options;
    const base = cluster.baseUrl;
    this.#options = options;
    this.#managers = managers;
    this.#keys = new KeyWork({ base, managers, workload });
    this.#payments = new PaymentWork({
      ...{ base, payers: payers.slice(0, PAYING), chance },
      deposit: (made) => deposit(cluster, made),
    });
    this.#reads = new ReadWork(base, payers);
  }

  static async open(options: OwnerWorkOptions): Promise<OwnerWork> {
    return new OwnerWork(options, await openManagers(options.cluster, options.payers.slice(0, MANAGED)));
  }

  start(): void {
    for (const work of [this.#keys, this.#payments, this.#reads]) work.start();
  }

  /** Begins nothing new, and waits until every payment is credited. */
  async stop(view: StoreView): Promise<void> {
    await Promise.all([this.#keys.stop(), this.#payments.stop(), this.#reads.stop()]);
    await until(async () => {
      const payments = await view.rows<PaymentRecord>('payment');
      return payments.every(({ status }) => status !== 'pending');
    }, CREDITED_MS);
  }

  /** The acknowledged deposits of operators. */
  get deposits(): PaymentWork['deposits'] {
    return this.#payments.deposits;
  }

  /** Call it once the run is quiet, while the cluster runs. */
  async askUsages(): Promise<void> {
    this.#usages = (await Promise.all(this.#managers.map((manager) => this.#usagesOf(manager)))).flat();
  }

  /** Call it once the cluster has stopped. */
  async evidence(view: StoreView): Promise<OwnerEvidence> {
    const { cluster, facilitator } = this.#options;
    const credentials = await view.rows<Credential>('credential');
    const [logs, deposits] = [await view.auditLogs(), await view.rows<PaidIn & { address: string }>('deposit')];
    const { texts, seen } = this.#keys;
    const found = await view.mentioned(texts);
    const searched = [
      ...texts.map((text) => ({ where: 'the store', found: found.includes(text) })),
      ...logsIn(cluster.data).map(({ where, content }) => ({
        ...{ where, found: texts.some((text) => content.includes(text)) },
      })),
    ];
    const addresses = new Map(credentials.map(({ handle, key }) => [handle ?? '', key]));
    return {
      keyChanges: { ...seen, searched, credentials, logs },
      payments: {
        ...{ presented: this.#payments.presented, settled: facilitator.settled, deposits },
        ...{ payments: await view.rows<PaymentRecord>('payment'), decimals: railOf('').assetDecimals },
      },
      keys: [...managing(credentials), ...limited(seen.changes, addresses)],
      usages: this.#usages.flatMap(({ hash, ...usage }) => {
        const key = addresses.get(hash);
        return key === undefined ? [] : [{ ...usage, key }];
      }),
      ...{ reads: this.#reads.reads, readsLagMs: LAG_MS },
    };
  }

  async #usagesOf({ key }: Payer): Promise<readonly UsageSeen[]> {
    const found: UsageSeen[] = [];
    const query = 'kind=all&include_disabled=true&include_revoked=true';
    for (let offset = 0; ; offset += KEYS_PER_PAGE) {
      const at = Date.now();
      const answer = await call(this.#options.cluster.baseUrl, key, `/keys?${query}&offset=${offset}`);
      if (answer.status !== 200) throw new Error(`GET /keys answered ${answer.status}`);
      const objects = answer.bytes.toString().split('{"hash":"').slice(1);
      for (const text of objects) {
        const [usage, usageDaily] = [digits(text, 'usage'), digits(text, 'usage_daily')];
        if (usage !== null && usageDaily !== null) found.push({ hash: text.slice(0, 64), at, usage, usageDaily });
      }
      if (objects.length < KEYS_PER_PAGE) return found;
    }
  }
}

function managing(credentials: readonly Credential[]): readonly KeyDeclared[] {
  return credentials
    .filter(({ kind }) => kind === 'management')
    .map(({ key: address, account, kind }) => ({ address, account, kind, limit: null, limitWindow: null }));
}

/** Keys that had a limit from their creation on, with the highest that they ever had. */
function limited(changes: readonly KeyChange[], addresses: ReadonlyMap<string, string>): readonly KeyDeclared[] {
  return changes.flatMap(({ what, hash, account, limit }) => {
    const address = addresses.get(hash);
    if (what !== 'create' || address === undefined || limit == null) return [];
    return [{ address, account, kind: 'inference' as const, limit, limitWindow: null }];
  });
}

/** Without the database, whose rows are searched apart. */
function logsIn(data: string): readonly { readonly where: string; readonly content: string }[] {
  return readdirSync(data, { encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .map((where) => ({ where, content: readFileSync(join(data, where), 'utf8') }));
}
