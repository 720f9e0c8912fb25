/** What a rate window is told. `name` is whose window it is; times are milliseconds. */
import type { Stamped } from '../runtime/index.ts';

/** Takes `count` if they fit under `limit`, else nothing. */
export type WindowTake = Stamped & {
  readonly type: 'window.take';
  readonly name: string;
  readonly count: number;
  readonly limit: number;
  readonly windowMs: number;
};

/** Takes a share for one of `nodes` gateways to give out itself. */
export type WindowSlice = Stamped & {
  readonly type: 'window.slice';
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly nodes: number;
};

/** What is left of a slice. Only the window it was taken from takes it back. */
export type WindowReturn = Stamped & {
  readonly type: 'window.return';
  readonly name: string;
  readonly count: number;
  readonly windowStart: number;
};

export type WindowEvent = WindowTake | WindowSlice | WindowReturn;
