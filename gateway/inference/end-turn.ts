import type { Settled, Settlement } from '../../actors/terms/hold.ts';
import type { Closing } from '../dialects/reply/reply-dialect.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { CallerLeft } from '../terms/gateway-error.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Holds } from './holds.ts';
import type { Inference } from './inference.ts';
import type { RunningTurn } from './running-turn.ts';
import { settlementOf } from './settlement-of.ts';

/** A finished turn: the source of a whole reply, the last frames of a stream or a batch line. */
export interface EndedTurn {
  /** The parts that were not read before. */
  readonly events: readonly TurnEvent[];
  /** The error that broke the answer off; null where none of `events` is an error. Earlier parts are charged. */
  readonly error: GatewayError | null;
  readonly receipt: Receipt;
  /** Null: nothing was delivered, and the hold is released. */
  readonly settlement: Settlement | null;
  /**
   * `none` without a settlement; `unrecorded`: not recorded yet, and repeated in the background where a repeat can
   * help.
   */
  readonly charge: 'recorded' | 'unrecorded' | 'none';
  /** Usage and cost for the client; null where the answer broke off and where no charge is recorded. */
  readonly closing: Closing | null;
}

/**
 * Ends a turn: gathers the unread parts, settles by the receipt, closes. The closing must not be sent before this
 * resolves. One function, since each awaited call costs every request a promise. An account that does not answer never
 * makes it reject.
 *
 * `charging` is `later` for a caller that commits `EndedTurn.settlement` with the reply; `now` asks the account.
 */
export async function endTurn(
  { holds, evidence, flights }: Pick<Inference, 'holds' | 'evidence' | 'flights'>,
  running: RunningTurn,
  charging: 'now' | 'later' = 'now',
): Promise<EndedTurn> {
  let events = NOTHING;
  for (let read = await running.read(); read !== null; read = await running.read()) {
    events = events.length === 0 ? read : events.concat(read);
  }
  const receipt = await running.receipt;
  const { request, flight } = running;
  flight.enter('settling');
  const settlement = receipt.delivered ? settlementOf(request, receipt) : null;
  let charged: Pick<Settled, 'cost'> | null = null;
  if (settlement === null) releaseUndelivered(holds, running, receipt);
  else {
    evidence.charged(receipt, settlement);
    charged = charging === 'now' ? await holds.charge(request, settlement) : holds.chargeLater(settlement);
  }
  flights.end(request.generation, flight);
  const last = events.at(-1);
  return {
    events,
    error: last?.type === 'error' ? last.error : null,
    receipt,
    settlement,
    charge: settlement === null ? 'none' : charged === null ? 'unrecorded' : 'recorded',
    closing: charged === null || receipt.broken ? null : closingOf(receipt, charged.cost),
  };
}

function closingOf({ usage, billed, honoured, media: { searches } }: Receipt, cost: string): Closing {
  const closing: Closing = { usage, cost, honoured, ...(searches === undefined ? {} : { searches }) };
  const { promptTokens } = billed;
  return usage.promptTokens !== undefined || promptTokens === undefined
    ? closing
    : { ...closing, promptCounted: promptTokens };
}

const NOTHING: readonly TurnEvent[] = [];

function releaseUndelivered(holds: Holds, { request }: RunningTurn, receipt: Receipt): void {
  const { attempt, attempts, admittedMs, generationMs: totalMs } = receipt;
  const { message: reason, status } = new CallerLeft();
  const ended = { generation: request.generation, attempt, reason, status, attempts, totalMs };
  holds.release(request, admittedMs === null ? ended : { ...ended, admittedMs });
}
