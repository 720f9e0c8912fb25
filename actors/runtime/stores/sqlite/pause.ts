/** Blocks this thread; `ms` can be a fraction. For the writer's thread only. */
export function pause(ms: number): void {
  Atomics.wait(NEVER, 0, 0, ms);
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));
