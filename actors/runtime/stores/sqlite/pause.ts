/** Sleeps this thread, `ms` may be a fraction. Only for the writer's own thread: nothing else runs in it meanwhile. */
export function pause(ms: number): void {
  Atomics.wait(NEVER, 0, 0, ms);
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));
