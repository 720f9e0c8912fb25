import type { Settled, Settlement } from '../../actors/terms/hold.ts';
import type { Closing } from '../dialects/reply/reply-dialect.ts';
import { CallerLeft } from '../terms/caller-left.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import { chargeHold, releaseHold } from './end-hold.ts';
import type { RunningTurn } from './running-turn.ts';
import type { InferenceServices } from './services.ts';
import { settlementOf } from './settlement-of.ts';

/**
 * Records a charge; resolves with what is recorded, or null where that is impossible now and left to the background.
 * `chargeHold` does it by one ask to the account. A caller whose own commit cascades the settlement to the account, so
 * that reply and charge are one commit, resolves with the settlement itself and commits `EndedTurn.settlement`.
 */
export type Settle = (
  services: InferenceServices,
  account: string,
  settlement: Settlement,
) => Promise<Pick<Settled, 'cost'> | null>;

/** A turn at its end: what a whole reply, the last frames of a stream or a batch line is written from. */
export interface EndedTurn {
  /** The parts that were not read before. */
  readonly events: readonly TurnEvent[];
  /** Broke the answer off; null where none of `events` is an error. What came before it is charged. */
  readonly error: GatewayError | null;
  readonly receipt: Receipt;
  /** Null: nothing was delivered, and the hold is released. */
  readonly settlement: Settlement | null;
  /** `none` without a settlement; `unrecorded`: not recorded yet, and repeated in the background where that can help. */
  readonly charge: 'recorded' | 'unrecorded' | 'none';
  /** What the caller is told; null where the answer broke off, and where no charge is recorded. */
  readonly closing: Closing | null;
}

/**
 * Ends a turn: gathers what was not read, settles by the receipt, closes. Nothing of the closing may leave before this
 * has resolved. One function, as each that waits costs every request a promise. Never rejects for want of an account.
 */
export async function endTurn(
  services: InferenceServices,
  running: RunningTurn,
  settle: Settle = chargeHold,
): Promise<EndedTurn> {
  let events = NOTHING;
  for (let read = await running.read(); read !== null; read = await running.read()) {
    events = events.length === 0 ? read : events.concat(read);
  }
  const receipt = await running.receipt;
  const { request } = running;
  const settlement = receipt.delivered ? settlementOf(request, receipt) : null;
  let charged: Pick<Settled, 'cost'> | null = null;
  if (settlement === null) releaseUndelivered(services, running, receipt);
  else charged = await settle(services, request.caller.account, settlement);
  const last = events.at(-1);
  return {
    events,
    error: last?.type === 'error' ? last.error : null,
    receipt,
    settlement,
    charge: settlement === null ? 'none' : charged === null ? 'unrecorded' : 'recorded',
    closing:
      charged === null || receipt.broken
        ? null
        : { usage: receipt.usage, cost: charged.cost, honoured: running.honoured },
  };
}

const NOTHING: readonly TurnEvent[] = [];

function releaseUndelivered(services: InferenceServices, { request }: RunningTurn, receipt: Receipt): void {
  const { attempt, attempts, admittedMs, generationMs: totalMs } = receipt;
  const { message: reason, status } = new CallerLeft();
  const ended = { generation: request.generation, attempt, reason, status, attempts, totalMs };
  releaseHold(services, request.caller.account, admittedMs === null ? ended : { ...ended, admittedMs });
}
