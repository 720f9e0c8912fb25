/** The events of a rate window. `name` identifies the window; times are milliseconds. */
import type { Stamped } from '../runtime/index.ts';

/** Takes `count` requests if they fit under `limit`, else none. */
export type WindowTake = Stamped & {
  readonly type: 'window.take';
  readonly name: string;
  readonly count: number;
  readonly limit: number;
  readonly windowMs: number;
};

/** Takes a slice that one of `nodes` gateways distributes itself. `askers`: who requested it, see `WindowTable`. */
export type WindowSlice = Stamped & {
  readonly type: 'window.slice';
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly nodes: number;
  readonly askers?: readonly string[];
};

/**
 * Returns the rest of a slice, 0 or more, or reports further askers. Ignored once the window it was taken from has
 * ended.
 */
export type WindowReturn = Stamped & {
  readonly type: 'window.return';
  readonly name: string;
  readonly count: number;
  readonly windowStart: number;
  readonly askers?: readonly string[];
};

export type WindowEvent = WindowTake | WindowSlice | WindowReturn;
