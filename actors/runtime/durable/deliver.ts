import { kindOf } from '../actor/address.ts';
import type { Answer } from '../actor/answer.ts';
import type { Mail } from '../actor/mail.ts';
import type { Delivery } from './engine.ts';
import { BUSY, failed, moved, refused } from './failures.ts';
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
    gate.tell(answer, failed(fault));
    return;
  }
  if (known === undefined && residents.full && !mustBeTaken(floor, to, event.type)) {
    residents.pressed();
    gate.tell(answer, BUSY);
    return;
  }
  const cell = known ?? runner.cellOf(to, home);
  const mail: Mail = { event, deadline, trace, answer, firing: null, next: null, fetched: null };
  const lane = cell.kind.finishes.has(event.type) ? 'finish' : 'start';
  if (runner.offer(cell, home, lane, mail)) return;
  gate.tell(answer, lane === 'start' ? BUSY : refused(`the ${lane} lane of ${to} is full`));
}

/** What ends something, and what goes to actors that are always resident, is let in beyond the cap. */
function mustBeTaken(floor: Floor, to: string, type: string): boolean {
  const kind = floor.kinds.get(kindOf(to));
  return kind === undefined || kind.kind.resident === true || kind.finishes.has(type);
}

/** XState gives meanings of its own to types that begin with its name: they could stop a chart from outside. */
function faultOf(type: unknown): string | null {
  if (typeof type === 'string' && type !== '' && !type.startsWith('xstate.')) return null;
  return `${JSON.stringify(type)} is no event type`;
}
