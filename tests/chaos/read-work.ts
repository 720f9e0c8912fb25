import type { AccountRead } from '../support/auditor/evidence.ts';
import { call, pause } from './call.ts';
import type { Payer } from './workload.ts';

/** Read again and again, on new connections. */
const READ = 2;
const REST_MS = 400;
/** Reads of one account at once. */
const READERS = 2;
/** Every pair of reads of an account is compared. */
const READS_MAX = 1_500;

/** Reads the credits of some accounts on every node while requests run. */
export class ReadWork {
  readonly #base: string;
  readonly #payers: readonly Payer[];
  readonly #reads: AccountRead[] = [];
  #running = false;
  #readers: readonly Promise<void>[] = [];

  constructor(base: string, payers: readonly Payer[]) {
    this.#base = base;
    this.#payers = payers.slice(0, READ);
  }

  start(): void {
    this.#running = true;
    this.#readers = this.#payers.flatMap((payer) => Array.from({ length: READERS }, () => this.#repeat(payer)));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#readers);
  }

  get reads(): readonly AccountRead[] {
    return this.#reads;
  }

  async #repeat({ account, key }: Payer): Promise<void> {
    for (let count = 0; this.#running && count < READS_MAX; count++, await pause(REST_MS)) {
      const at = performance.now();
      const { status, bytes } = await call(this.#base, key, '/credits');
      const endAt = performance.now();
      const read = status === 200 ? creditsIn(bytes.toString()) : null;
      if (read !== null) this.#reads.push({ account, shard: 0, node: 'some node', at, endAt, ...read });
    }
  }
}

/** The digits exactly as the API wrote them; null for text without them. */
export function creditsIn(text: string): Pick<AccountRead, 'deposited' | 'used'> | null {
  const [deposited, used] = [digits(text, 'total_credits'), digits(text, 'total_usage')];
  return deposited === null || used === null ? null : { deposited, used };
}

/** The digits of a number or of decimal text in JSON. */
export function digits(text: string, member: string): string | null {
  return new RegExp(`"${member}":\\s*"?(-?[0-9.]+(?:[eE][+-]?\\d+)?)`).exec(text)?.[1] ?? null;
}
