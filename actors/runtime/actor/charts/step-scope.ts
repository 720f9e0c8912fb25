import type { AnyActorScope } from 'xstate';
import { type Effect, emits } from '../effect.ts';

/**
 * The scope in which XState computes a transition, with no working parts: `self` and `system` throw on any use, so that
 * a chart that spawns, sends or schedules by itself fails inside its step, before anything has happened. One scope
 * serves all steps of a machine, since steps never nest.
 */
export interface StepScope {
  readonly xstate: AnyActorScope;
  /** The `spawn` of an assign: throws. */
  readonly spawn: () => never;
  /** Clears the collected effects. */
  begin(): void;
  /** The effects of the actions since `begin`, in order. */
  collected(): readonly Effect[];
}

const NONE: readonly Effect[] = Object.freeze([]);

/** The argument of XState's action executor, for each action that is not resolved purely. */
interface Executable {
  readonly type: string;
  readonly info: unknown;
  readonly params: unknown;
  readonly exec: ((info: unknown, params: unknown) => unknown) | undefined;
}

/** The scope of one machine; its errors name `kind`. */
export function createStepScope(kind: string): StepScope {
  let effects: Effect[] | null = null;
  const execute = (action: Executable): void => {
    if (emits(action.exec)) {
      const made = action.exec?.(action.info, action.params) as Effect | readonly Effect[];
      effects ??= [];
      if (Array.isArray(made)) effects.push(...made);
      else effects.push(made as Effect);
      return;
    }
    const delay = (action.params as { readonly delay?: unknown } | undefined)?.delay;
    if (action.type === 'xstate.raise' && delay === undefined) return;
    throw new Error(`${kind}: action ${action.type} has a side effect, which a step must not have`);
  };
  return {
    xstate: inert(kind, execute),
    spawn: () => {
      throw new Error(`${kind}: a step used spawn; steps are pure`);
    },
    begin: () => {
      effects = null;
    },
    collected: () => effects ?? NONE,
  };
}

function inert(kind: string, execute: (action: Executable) => void): AnyActorScope {
  const refuse = (use: string) => (): never => {
    throw new Error(`${kind}: a step used ${use}; steps are pure`);
  };
  return {
    self: forbidden(kind, 'self', {}),
    // XState reports every microstep to its system, so this one member exists; every other one throws.
    system: forbidden(kind, 'system', { _sendInspectionEvent: () => undefined }),
    id: '',
    sessionId: '',
    logger: refuse('the logger'),
    defer: refuse('defer'),
    emit: refuse('emit'),
    stopChild: refuse('stopChild'),
    actionExecutor: execute,
  } as unknown as AnyActorScope;
}

/** An object that has its own members and throws on access to any other. */
function forbidden(kind: string, name: string, own: Record<string, unknown>): object {
  const refuse = (_: object, member: string | symbol): never => {
    throw new Error(`${kind}: a step used ${name}.${String(member)}; steps are pure`);
  };
  const beyond = new Proxy({}, { get: refuse, has: refuse, set: refuse });
  return Object.freeze(Object.create(beyond, Object.getOwnPropertyDescriptors(own)));
}
