import type { HistoryEntry } from '../support/auditor/history.ts';
import { exchange, type Finding, socketExchange } from './exchange.ts';
import { probe, type Scenario, scenario } from './scenario.ts';
import { TurnSockets } from './turn-sockets.ts';

/** An account that pays for requests of the workload. */
export interface Payer {
  /** Address of the account. */
  readonly account: string;
  readonly key: string;
}

interface WorkloadOptions {
  /** Address of the API, `http://host:port/api/v1`. */
  readonly base: string;
  readonly payers: readonly Payer[];
  /** An account with almost no money. */
  readonly poor: Payer;
  readonly inFlight: number;
  /** Pause of a client between two requests; absent: none. */
  readonly restMs?: number | undefined;
  /** Uniform in [0, 1); seeded, so that a run can be repeated. */
  readonly chance: () => number;
}

const FRESH_SHARE = 0.5;
/** A dead node refuses connections at once, and a node without its store refuses requests at once. */
const UNAVAILABLE = 503;
const REFUSED_REST_MS = 100;

/** Keeps a fixed number of requests in flight and records each request and its outcome. */
export class Workload {
  readonly history: HistoryEntry[] = [];
  readonly #options: WorkloadOptions;
  readonly #sockets: TurnSockets;
  readonly #run = Math.random().toString(36).slice(2, 8);
  #running = false;
  #workers: readonly Promise<void>[] = [];
  #ops = 0;
  #turns = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#sockets = new TurnSockets(options.base);
  }

  start(): void {
    this.#running = true;
    this.#workers = Array.from({ length: this.#options.inFlight }, () => this.#work());
  }

  /** Starts no new requests and waits for those in flight. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
    this.#sockets.close();
  }

  /** Requests that have succeeded so far. */
  get answered(): number {
    return this.history.reduce((count, entry) => count + (entry.type === 'ok' ? 1 : 0), 0);
  }

  /** Sends one small request for this payer, in addition to the load. */
  probe(payer: Payer): Promise<Finding> {
    return this.send(probe(this.nonce()), payer);
  }

  async #work(): Promise<void> {
    const { chance, payers, poor, restMs = 0 } = this.#options;
    while (this.#running) {
      const next = { ...scenario(this.nonce(), this.#turns++, chance()), fresh: chance() < FRESH_SHARE };
      const payer = payers[Math.floor(chance() * payers.length)] as Payer;
      const finding = await this.send(next, next.poor ? poor : payer);
      const refused = finding.type === 'unknown' || (finding.type === 'fail' && finding.status === UNAVAILABLE);
      const pauseMs = refused ? REFUSED_REST_MS : restMs;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Sends one random request and records it. */
  async send(next: Scenario, payer: Payer): Promise<Finding> {
    const op = ++this.#ops;
    const { nonce } = next;
    this.history.push({
      type: 'invoke',
      op,
      at: performance.now(),
      wallAt: Date.now(),
      nonce,
      account: payer.account,
      key: payer.key.slice(-6),
      model: next.model,
      stream: next.stream,
      expects: next.expects,
    });
    const finding = next.socket
      ? await socketExchange(this.#sockets, payer.key, next)
      : await exchange(this.#options.base, payer.key, next);
    this.history.push({ ...finding, op, at: performance.now() } as HistoryEntry);
    return finding;
  }

  nonce(): string {
    return `${this.#run}-${this.#ops + 1}-${Math.random().toString(36).slice(2, 6)}`;
  }
}
