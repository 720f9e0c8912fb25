import { kindOf } from '../../actor/address.ts';
import type { Answer } from '../../actor/answer.ts';
import type { LaneName, Mail } from '../../actor/cascade/mailbox.ts';
import { decodeSystemMessage, isReserved } from '../../actor/cascade/system-message.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { OutputGate } from '../commit/output-gate.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Delivery } from '../engine.ts';
import { BUSY, failed, moved, refused, unknownKind } from '../failures.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Residents } from '../residency/residents.ts';

/** The parts that accept a delivery. */
interface DeliveryParts {
  readonly registry: CellRegistry;
  readonly dispatcher: Dispatcher;
  readonly outputGate: OutputGate;
  readonly residents: Residents;
}

/** The result of an activity, as sent by the node that ran it. */
const RESULT = '$result';

/** Puts one event into its actor's mailbox, or answers immediately with the reason for refusal. */
export function deliver(
  { registry, dispatcher, outputGate, residents }: DeliveryParts,
  { to, event, deadline, trace }: Delivery,
  answer: ((answer: Answer) => void) | null,
): void {
  const known = registry.cells.get(to);
  const shard = known === undefined ? registry.shardOf(to) : registry.shardOfCell(known);
  if (shard === undefined || shard === null || shard.serving !== 'live') {
    outputGate.answer(answer, moved(shard?.epoch ?? registry.lastEpoch(to)));
    return;
  }
  const fault = faultOf(event.type) ?? (known === undefined ? registry.faultOf(to) : null);
  if (fault !== null) {
    outputGate.answer(answer, registry.kinds.has(kindOf(to)) ? failed(fault) : unknownKind(fault));
    return;
  }
  if (known === undefined && residents.full && !mustBeTaken(registry, to, event.type)) {
    residents.pressed();
    outputGate.answer(answer, BUSY);
    return;
  }
  const cell = known ?? dispatcher.cellOf(to, shard);
  const mail = isReserved(event.type)
    ? systemMail(event, deadline, trace, answer)
    : { event, deadline, trace, answer, firing: null, systemMessage: null, since: 0, next: null, fetched: null };
  if (mail === null) {
    outputGate.answer(answer, failed(`${event.type} is no event type`));
    return;
  }
  const lane = laneOf(cell.kind.finishes, mail);
  if (dispatcher.offer(cell, shard, lane, mail)) return;
  outputGate.answer(answer, lane === 'start' ? BUSY : refused(`the ${lane} lane of ${to} is full`));
}

/** Unwraps a system message from the runtime of another node or from an operator. */
function systemMail(wrapped: ActorEvent, deadline: number, trace: string | undefined, answer: Mail['answer']) {
  const opened = decodeSystemMessage(wrapped);
  if (opened === null) return null;
  const { event, systemMessage } = opened;
  return { event, deadline, trace, answer, firing: null, systemMessage, since: 0, next: null, fetched: null };
}

/** System messages other than outbox messages complete work and use the finish lane; the kind decides for the rest. */
function laneOf(finishes: ReadonlySet<string>, { systemMessage, event }: Mail): LaneName {
  return (systemMessage !== null && systemMessage.type !== 'message') || finishes.has(event.type) ? 'finish' : 'start';
}

/** Events that complete work and events for resident kinds are accepted beyond the cap. */
function mustBeTaken(registry: CellRegistry, to: string, type: string): boolean {
  const kind = registry.kinds.get(kindOf(to));
  return kind === undefined || kind.kind.resident === true || kind.finishes.has(type) || type === RESULT;
}

/** XState reserves types that begin with `xstate.`: a caller could use them to stop a chart. */
function faultOf(type: unknown): string | null {
  if (typeof type === 'string' && type !== '' && !type.startsWith('xstate.')) return null;
  return `${JSON.stringify(type)} is no event type`;
}
