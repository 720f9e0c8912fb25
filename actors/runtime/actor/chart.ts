/**
 * Binds pure functions `(context, event, params)` to a chart as its named actions and guards, each with the types of
 * event that it accepts: `actions: { credit: assignOn('deposit.credit', credit) }`. The types are checked against the
 * function's own event, so that a chart needs no casts; `'*'` binds a function that reads no event of its own. A chart
 * that runs a part on another event is refused at registration; a part that runs in an entry or an eventless transition
 * after another event throws, and the step changes nothing.
 */
import { assign } from 'xstate';
import { type Effect, emit } from './effect.ts';
import type { ActorEvent, Stamped } from './event.ts';
import type { RowRef } from './kind.ts';

interface Typed {
  readonly type: string;
}

/** A named action or guard. `params` is what the chart states where it names the part. */
type Part<C, P, R> = (args: { readonly context: C; readonly event: Typed }, params: P) => R;

type Bound<C, E, P, R> = (context: C, event: E, params: P) => R;

/** The effects of an event. */
export function emitOn<C, P = unknown>(
  types: '*',
  effects: Bound<C, Typed & Stamped, P, Effect | readonly Effect[]>,
): Part<C, P, void>;
export function emitOn<C, E extends Typed, P = unknown>(
  types: E['type'] | readonly E['type'][],
  effects: Bound<C, E, P, Effect | readonly Effect[]>,
): Part<C, P, void>;
export function emitOn(
  types: string | readonly string[],
  effects: Bound<never, never, never, Effect | readonly Effect[]>,
): Part<never, never, void> {
  return accepting(types, emit(partOf(types, effects)));
}

/** The context after an event: the whole of it, or the members that change. */
export function assignOn<C, P = unknown>(types: '*', next: Bound<C, Typed & Stamped, P, Partial<C>>): Part<C, P, void>;
export function assignOn<C, E extends Typed, P = unknown>(
  types: E['type'] | readonly E['type'][],
  next: Bound<C, E, P, Partial<C>>,
): Part<C, P, void>;
export function assignOn(
  types: string | readonly string[],
  next: Bound<never, never, never, object>,
): Part<never, never, void> {
  const part = assign(partOf(types, next) as Part<object, unknown, object>);
  return accepting(types, part) as unknown as Part<never, never, void>;
}

/** Whether a transition is taken. */
export function guardOn<C, P = unknown>(types: '*', test: Bound<C, Typed & Stamped, P, boolean>): Part<C, P, boolean>;
export function guardOn<C, E extends Typed, P = unknown>(
  types: E['type'] | readonly E['type'][],
  test: Bound<C, E, P, boolean>,
): Part<C, P, boolean>;
export function guardOn(
  types: string | readonly string[],
  test: Bound<never, never, never, boolean>,
): Part<never, never, boolean> {
  return accepting(types, partOf(types, test));
}

/**
 * A guard that passes for a verdict, or for several: `{ type: 'opens', params: { as: 'granted' } }`. The verdict of one
 * context and event is computed once, however many transitions ask for it.
 */
export function verdictOn<C, E extends Typed, V extends string>(
  types: E['type'] | readonly E['type'][],
  judge: (context: C, event: E) => V,
): Part<C, { readonly as: V | readonly V[] }, boolean> {
  let judged: { readonly context: C; readonly event: E; readonly verdict: V } | null = null;
  const part = partOf(types, (context: C, event: E, { as }: { readonly as: V | readonly V[] }) => {
    if (judged === null || judged.event !== event || judged.context !== context) {
      judged = { context, event, verdict: judge(context, event) };
    }
    return typeof as === 'string' ? judged.verdict === as : as.includes(judged.verdict);
  });
  return accepting(types, part);
}

/** Registered globally, as the mark of `emit`. */
const ACCEPTS = Symbol.for('troupe.accepts');

/** Marks a part with the types of event that it accepts. */
function accepting<F extends object>(types: string | readonly string[], part: F): F {
  return types === '*' ? part : Object.defineProperty(part, ACCEPTS, { value: [types].flat() });
}

/** False for a part that throws on events of this type. */
export function accepts(part: unknown, type: string): boolean {
  const types = (part as { readonly [ACCEPTS]?: readonly string[] } | undefined)?.[ACCEPTS];
  return types === undefined || types.includes(type);
}

const NO_ROWS: readonly RowRef[] = Object.freeze([]);

/** The rows that a chart receives, by type of event: `rows` of a kind. */
export function rowsOn(requests: {
  readonly [type: string]: (event: never) => readonly RowRef[];
}): (event: ActorEvent) => readonly RowRef[] {
  const byType = new Map(Object.entries(requests));
  return (event) => byType.get(event.type)?.(event as never) ?? NO_ROWS;
}

function partOf<C, E extends Typed, P, R>(types: string | readonly string[], run: Bound<C, E, P, R>): Part<C, P, R> {
  if (types === '*') return ({ context, event }, params) => run(context, event as E, params);
  return ({ context, event }, params) => {
    if (typeof types === 'string' ? types !== event.type : !types.includes(event.type)) {
      throw new TypeError(`a part of a chart for ${types} was called for ${event.type}`);
    }
    return run(context, event as E, params);
  };
}
