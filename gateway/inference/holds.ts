import { release, settle } from '../../actors/account/account.ts';
import { admit, raise } from '../../actors/key/key.ts';
import { AskError, type Clock, type Cluster, Slab } from '../../actors/runtime/index.ts';
import type { Admission, HoldRequest, Release, Settled, Settlement } from '../../actors/terms/hold.ts';
import type { Refusal, RefusedAnswer } from '../../actors/terms/refusal.ts';
import { usd } from '../../actors/terms/usd.ts';
import type { UpstreamLimits } from '../terms/config/config.ts';
import { type GatewayError, refusalError, unavailable } from '../terms/gateway-error.ts';
import type { LogRecord } from '../terms/log-record.ts';
import type { Measures } from '../terms/measures.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { TurnRequest } from './turn-request.ts';
import { tenths } from './usage-meter.ts';

/** Longer than the advice for a restart: disk space does not return by itself. */
const FULL_AFTER_SECONDS = 5;

interface HoldsParts {
  readonly cluster: Pick<Cluster, 'ask' | 'now' | 'self'>;
  readonly clock: Clock;
  readonly limits: UpstreamLimits;
  /** Requests of one key in a minute. */
  readonly keyPerMinute: number;
  /** True while the store has room only for work under way: nothing new may be held. */
  readonly storeFull: () => boolean;
  readonly measures: Pick<Measures, 'holdOpened' | 'holdEnded'>;
  readonly log: (record: LogRecord) => void;
}

/** Of a request, what its hold is asked for with. */
type Holder = Pick<TurnRequest, 'caller' | 'span' | 'crashPoint'>;

/**
 * The holds of one node: every message to keys and accounts that opens, raises, charges or releases one. `Hold` decides
 * how much one turn asks for.
 *
 * Both ends of a hold are sent to the account until it acknowledges them. The caller waits for the first answer to a
 * charge and never for a release. An unanswered message is repeated in the background up to a bound; the natural id of
 * the generation makes repeats harmless.
 */
export class Holds {
  /** What continues after the client has its answer. */
  readonly pending = new BackgroundWork();
  readonly #parts: HoldsParts;
  readonly #admitting: { readonly perMinute: number; readonly withinMs: number };

  constructor(parts: HoldsParts) {
    this.#parts = parts;
    this.#admitting = { perMinute: parts.keyPerMinute, withinMs: parts.limits.askMs };
  }

  /** Names the process that the holds end with. */
  get gateway(): string {
    return this.#parts.cluster.self.incarnation;
  }

  /** The least ceiling that a turn without one of its own is lowered to. */
  get completionTokensLeast(): number {
    return this.#parts.limits.completionTokensLeast;
  }

  /** Store time, ms. */
  now(): number {
    return this.#parts.cluster.now();
  }

  /** Milliseconds since this monotonic time, in tenths. */
  msSince(startedAt: number): number {
    return tenths(this.#parts.clock.monotonic() - startedAt);
  }

  /** Store time at which the hold of a request that began at this monotonic time ends by itself. */
  deadlineAt(startedAt: number): number {
    const { cluster, clock, limits } = this.#parts;
    const leftMs = limits.totalMs - (clock.monotonic() - startedAt);
    return Math.ceil(cluster.now() + leftMs + limits.holdSlackMs);
  }

  /** The error of a refusal by a key or an account. */
  errorOf(refusal: Refusal): GatewayError {
    return refusalError(refusal, this.#parts.cluster.now());
  }

  /** Asks the key for the first hold of a turn. Throws 503 where the disk of the store is full. */
  admit(request: Holder, held: HoldRequest): Promise<Admission> {
    if (this.#parts.storeFull()) throw unavailable('the disk of the store is full', FULL_AFTER_SECONDS);
    return admit(this.#asks(request.span), request.caller.key, held, this.#admitting);
  }

  /** Moves the hold of a turn to another endpoint. */
  raise(request: Holder, held: HoldRequest): Promise<Admission> {
    return raise(this.#asks(request.span), request.caller.key, held, this.#parts.limits.askMs);
  }

  /** Called once for a turn whose money is held, or may be. */
  opened(): void {
    this.#parts.measures.holdOpened();
  }

  /** Releases a hold without a charge, in the background, until the account acknowledges it. */
  release(request: Holder, ended: Release): void {
    const { generation } = ended;
    const asks = this.#asks(request.span);
    const send = async (): Promise<void> => {
      this.#logRefused(generation, await release(asks, request.caller.account, ended, this.#parts.limits.askMs));
    };
    this.#endLater(this.#untilAcknowledged(generation, send));
  }

  /** Charges a hold. Null when the account did not acknowledge it now; the charge is then repeated in the background. */
  async charge(request: Holder, settlement: Settlement): Promise<Pick<Settled, 'cost'> | null> {
    const { caller, span } = request;
    const { measures, limits } = this.#parts;
    const { generation } = settlement;
    const asks = this.#asks(span);
    try {
      const settled = this.#closed(request, generation, await settle(asks, caller.account, settlement, limits.askMs));
      measures.holdEnded();
      return settled;
    } catch (thrown) {
      if (!(thrown instanceof AskError)) throw thrown;
      if (this.#logDeferred(generation, thrown)) {
        measures.holdEnded();
        return null;
      }
      const again = async (): Promise<void> => {
        this.#closed(request, generation, await settle(asks, caller.account, settlement, limits.askMs));
      };
      this.#endLater(this.#pause().then(() => this.#untilAcknowledged(generation, again)));
      return null;
    }
  }

  /**
   * For a caller whose own commit cascades the settlement to the account, so that reply and charge are one commit. The
   * digits are those that the account records: a recorded charge is the canonical text of its settlement.
   */
  chargeLater({ cost }: Settlement): Pick<Settled, 'cost'> {
    this.#parts.measures.holdEnded();
    return { cost: usd(cost) };
  }

  #closed({ crashPoint }: Holder, generation: string, answer: Settled | RefusedAnswer): Settled | null {
    if (this.#logRefused(generation, answer)) return null;
    crashPoint?.('settle.committed');
    return answer as Settled;
  }

  #asks(span: TraceSpan | undefined): Pick<Cluster, 'ask'> {
    return span === undefined ? this.#parts.cluster : tracedAsks(this.#parts.cluster, span);
  }

  #endLater(ending: Promise<void>): void {
    this.pending.add(ending.finally(() => this.#parts.measures.holdEnded()));
  }

  #logRefused(generation: string, answer: object): answer is RefusedAnswer {
    if (!('refusal' in answer)) return false;
    this.#parts.log({ level: 'error', message: 'the account refused the end of a hold', generation, answer });
    return true;
  }

  /**
   * True where the account is quarantined and its runtime has deferred the message that ends the hold. The runtime
   * replays the message once the account loads again, so the gateway does not repeat it; an operator has to repair the
   * account.
   */
  #logDeferred(generation: string, thrown: unknown): boolean {
    if (!(thrown instanceof AskError) || thrown.failure.code !== 'quarantined' || !thrown.failure.deferred)
      return false;
    const message = 'the end of a hold is deferred because its account is quarantined';
    this.#parts.log({ level: 'error', message, generation, detail: thrown.message });
    return true;
  }

  /** Repeats a message to the account with pauses, up to the configured bound. Afterwards the hold's deadline ends it. */
  async #untilAcknowledged(generation: string, send: () => Promise<void>): Promise<void> {
    const { limits, log } = this.#parts;
    let detail = '';
    for (let sent = 0; sent < limits.settleRetriesMax; sent++) {
      try {
        await send();
        return;
      } catch (thrown) {
        if (this.#logDeferred(generation, thrown)) return;
        detail = thrown instanceof Error ? thrown.message : String(thrown);
        const pointless = !(thrown instanceof AskError) || thrown.failure.code === 'absent';
        if (pointless) break;
      }
      await this.#pause();
    }
    log({ level: 'error', message: 'the end of a hold was not acknowledged', generation, detail });
  }

  #pause(): Promise<void> {
    const { clock, limits } = this.#parts;
    return new Promise((resolve) => {
      clock.after(limits.settleRetryMs, resolve);
    });
  }
}

/** The same asks; each is a span that the owner's node continues. */
function tracedAsks(cluster: Pick<Cluster, 'ask'>, span: TraceSpan): Pick<Cluster, 'ask'> {
  return {
    ask: async (to, event, options) => {
      const asking = span.child(`ask ${event.type}`, { 'troupe.kind': to.slice(0, to.indexOf(':')) });
      try {
        return await cluster.ask(to, event, { ...options, trace: asking.traceparent });
      } catch (thrown) {
        asking.end('unanswered');
        throw thrown;
      } finally {
        asking.end();
      }
    },
  };
}

/** Work that continues after the client has its answer: settles, releases, answers read to their end. */
class BackgroundWork {
  readonly #work = new Slab<Promise<void>>();

  get count(): number {
    return this.#work.size;
  }

  /** `work` never rejects. */
  add(work: Promise<void>): void {
    const place = this.#work.add(work);
    void work.finally(() => this.#work.take(place));
  }

  /** Resolves when no work is left, including work added while waiting. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.all());
  }
}
