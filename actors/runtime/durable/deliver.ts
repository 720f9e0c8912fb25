import { kindOf } from '../actor/address.ts';
import type { Answer } from '../actor/answer.ts';
import type { ActorEvent } from '../actor/event.ts';
import type { LaneName, Mail } from '../actor/mail.ts';
import { isReserved, unwrap } from '../actor/parcel.ts';
import type { Delivery } from './engine.ts';
import { BUSY, failed, moved, refused, unknownKind } from './failures.ts';
import type { Floor } from './floor.ts';
import type { Gate } from './gate.ts';
import type { Residents } from './residents.ts';
import type { Runner } from './runner.ts';

/** What takes a delivery in. */
export interface Intake {
  readonly floor: Floor;
  readonly runner: Runner;
  readonly gate: Gate;
  readonly residents: Residents;
}

/** How work ended, as it is brought by the node that ran it. */
const RESULT = '$result';

/** Puts one event into its actor's mailbox, or answers at once why it cannot. */
export function deliver(
  { floor, runner, gate, residents }: Intake,
  { to, event, deadline, trace }: Delivery,
  answer: ((answer: Answer) => void) | null,
): void {
  const known = floor.cells.get(to);
  const home = known === undefined ? floor.homeOf(to) : floor.homeOfCell(known);
  if (home === undefined || home === null || home.serving !== 'live') {
    gate.tell(answer, moved(home?.epoch ?? floor.lastEpoch(to)));
    return;
  }
  const fault = faultOf(event.type) ?? (known === undefined ? floor.faultOf(to) : null);
  if (fault !== null) {
    gate.tell(answer, floor.kinds.has(kindOf(to)) ? failed(fault) : unknownKind(fault));
    return;
  }
  if (known === undefined && residents.full && !mustBeTaken(floor, to, event.type)) {
    residents.pressed();
    gate.tell(answer, BUSY);
    return;
  }
  const cell = known ?? runner.cellOf(to, home);
  const mail = isReserved(event.type)
    ? parcelMail(event, deadline, trace, answer)
    : { event, deadline, trace, answer, firing: null, parcel: null, next: null, fetched: null };
  if (mail === null) {
    gate.tell(answer, failed(`${event.type} is no event type`));
    return;
  }
  const lane = laneOf(cell.kind.finishes, mail);
  if (runner.offer(cell, home, lane, mail)) return;
  gate.tell(answer, lane === 'start' ? BUSY : refused(`the ${lane} lane of ${to} is full`));
}

/** What the runtime of another node, or an operator, brings. */
function parcelMail(wrapped: ActorEvent, deadline: number, trace: string | undefined, answer: Mail['answer']) {
  const opened = unwrap(wrapped);
  return opened && { ...opened, deadline, trace, answer, firing: null, next: null, fetched: null };
}

/** How work ended belongs to what must end; a message waits with its like. */
function laneOf(finishes: ReadonlySet<string>, { parcel, event }: Mail): LaneName {
  return (parcel !== null && parcel.type !== 'message') || finishes.has(event.type) ? 'finish' : 'start';
}

/** What ends something, and what goes to actors that are always resident, is let in beyond the cap. */
function mustBeTaken(floor: Floor, to: string, type: string): boolean {
  const kind = floor.kinds.get(kindOf(to));
  return kind === undefined || kind.kind.resident === true || kind.finishes.has(type) || type === RESULT;
}

/** XState gives meanings of its own to types that begin with its name: they could stop a chart from outside. */
function faultOf(type: unknown): string | null {
  if (typeof type === 'string' && type !== '' && !type.startsWith('xstate.')) return null;
  return `${JSON.stringify(type)} is no event type`;
}
