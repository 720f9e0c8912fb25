/** What operators call accounts, keys and workspaces: names are read from rows of the store, so no actor wakes for one. */
import { findProfile } from '../../actors/account/profile.ts';
import type { Credential } from '../../actors/key/credential.ts';
import type { RowReader } from '../../actors/runtime/index.ts';

type Rows = Pick<RowReader, 'row' | 'rows'>;

/** Names by address, read once each. */
export class ActorNames {
  readonly #rows: Rows;
  readonly #known = new Map<string, Promise<string | null>>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The name of the actor; null where it has none, or is of a kind without names. */
  of(address: string): Promise<string | null> {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const reading = this.#read(address);
    this.#known.set(address, reading);
    return reading;
  }

  #read(address: string): Promise<string | null> {
    switch (address.slice(0, address.indexOf(':'))) {
      case 'account':
        return findProfile(this.#rows, address).then((profile) => profile?.name || null);
      case 'key':
        return this.#first<Credential>('credential', address).then((key) => key && (key.name || key.label));
      case 'workspace':
        return this.#first<{ readonly name: string }>('workspace', address).then((one) => one?.name ?? null);
      default:
        return Promise.resolve(null);
    }
  }

  async #first<T>(collection: string, address: string): Promise<T | null> {
    const [row] = await this.#rows.rows({ collection, address, limit: 1 });
    return row === undefined ? null : (JSON.parse(row.body) as T);
  }
}
