/** The simulated network: which authorizations were settled, by which transaction. Kept in a file if one is given. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface Settled {
  readonly network: string;
  readonly payer: string;
  readonly nonce: string;
  readonly transaction: string;
  readonly amount: string;
}

export class Ledger {
  readonly #file: string | null;
  readonly #settled = new Map<string, Settled>();

  constructor(file: string | null) {
    this.#file = file;
    if (file === null || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // A process that was killed may have left half a line.
      if (line.endsWith('}')) this.#keep(JSON.parse(line) as Settled);
    }
  }

  get all(): readonly Settled[] {
    return [...this.#settled.values()];
  }

  find(network: string, payer: string, nonce: string): Settled | null {
    return this.#settled.get(nameOf(network, payer, nonce)) ?? null;
  }

  /** Settles once: a repeat gives the first transaction. */
  settle({ network, payer, nonce, amount }: Omit<Settled, 'transaction'>, named: string | null): Settled {
    const known = this.find(network, payer, nonce);
    if (known !== null) return known;
    const digest = createHash('sha256')
      .update(nameOf(network, payer, nonce))
      .digest('hex');
    const settled = { network, payer, nonce, transaction: named ?? `0x${digest}`, amount };
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(settled)}\n`);
    return this.#keep(settled);
  }

  #keep(settled: Settled): Settled {
    this.#settled.set(nameOf(settled.network, settled.payer, settled.nonce), settled);
    return settled;
  }
}

function nameOf(network: string, payer: string, nonce: string): string {
  return `${network} ${payer} ${nonce}`.toLowerCase();
}
