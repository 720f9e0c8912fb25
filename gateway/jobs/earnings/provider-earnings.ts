import type { Earning } from '../../../actors/provider/earnings.ts';
import { earningsOf, showProvider } from '../../../actors/provider/provider.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { unavailable } from '../../terms/gateway-error.ts';
import { type ChargedDay, chargedOn, DAY_MS, earnedBy, firstChargedDay } from './earned-day.ts';
import { EndpointOwners } from './endpoint-owners.ts';

/** The charges of a day that is not folded yet are read at most this often, whoever asks. */
const FRESH_MS = 5_000;
/** Days that may be read at once because they are not folded yet; normally one or two. */
const UNFOLDED_DAYS_MAX = 31;

/** UTC days from `from` until before `till`, store times in ms at which days begin. */
export interface Days {
  readonly from: number;
  readonly till: number;
}

export interface EarnedDays {
  /** By day, then endpoint. */
  readonly earnings: readonly Earning[];
  /** Days before this store time are folded and do not change any more. */
  readonly finalTill: number;
}

interface Reading {
  readonly at: number;
  readonly charged: Promise<ChargedDay>;
}

/** Reads what providers earned: folded days from their rows, later ones from the usage rows of the charges. */
export class ProviderEarnings {
  readonly #cluster: Pick<Cluster, 'rows' | 'now' | 'ask'>;
  readonly #askMs: number;
  readonly #owners: EndpointOwners;
  /** Days that are not folded, by when they began. */
  readonly #unfolded = new Map<number, Reading>();

  constructor(cluster: Pick<Cluster, 'rows' | 'now' | 'ask'>, askMs: number) {
    this.#cluster = cluster;
    this.#askMs = askMs;
    this.#owners = new EndpointOwners(cluster, askMs);
  }

  /** Throws 503 while too many days of the range are not folded. */
  async read(provider: ProviderFacts, { from, till }: Days): Promise<EarnedDays> {
    const view = await showProvider(this.#cluster, provider.slug, this.#askMs);
    const today = windowStart('daily', this.#cluster.now());
    const finalTill = view?.earnings === undefined ? from : view.earnings.last + DAY_MS;
    const end = Math.min(till, today + DAY_MS);
    const first = Math.max(from, finalTill);
    if (end - first > UNFOLDED_DAYS_MAX * DAY_MS) throw unavailable('the earnings are being folded');
    const earnings: Earning[] = [];
    const rows: Cluster['rows']['rows'] = (query) => this.#cluster.rows.rows(query);
    for await (const page of earningsOf(rows, provider.slug, { from, till: Math.min(till, finalTill) })) {
      earnings.push(...page);
    }
    for (let day = first; day < end; day += DAY_MS) earnings.push(...earnedBy(provider, await this.#chargedOn(day)));
    return { earnings, finalTill };
  }

  /** The first day that `read` may return earnings of; null before the first charge. */
  async firstDay({ slug }: ProviderFacts): Promise<number | null> {
    const view = await showProvider(this.#cluster, slug, this.#askMs);
    return view?.earnings?.first ?? (await firstChargedDay(this.#cluster));
  }

  #chargedOn(day: number): Promise<ChargedDay> {
    const now = this.#cluster.now();
    const known = this.#unfolded.get(day);
    if (known !== undefined && now - known.at < FRESH_MS) return known.charged;
    for (const [other, { at }] of this.#unfolded) if (now - at >= FRESH_MS) this.#unfolded.delete(other);
    const charged = chargedOn(this.#cluster, this.#owners, day);
    this.#unfolded.set(day, { at: now, charged });
    charged.catch(() => this.#unfolded.delete(day));
    return charged;
  }
}
