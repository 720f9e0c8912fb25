/** The result of a closed loop of asks. */
export interface AskResult {
  readonly perSecond: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Keeps `inFlight` asks open for some seconds; `ask` gets a running number to select its entity. */
export async function askLoop(
  ask: (turn: number) => Promise<unknown>,
  load: { readonly inFlight: number; readonly seconds: number },
): Promise<AskResult> {
  const latencies: number[] = [];
  let failures = 0;
  let turn = 0;
  const beganAt = performance.now();
  const endAt = beganAt + load.seconds * 1_000;
  const repeat = async (): Promise<void> => {
    for (let now = beganAt; now < endAt; ) {
      const sentAt = now;
      let failed = false;
      await ask(turn++).catch(() => {
        failed = true;
      });
      now = performance.now();
      if (failed) failures++;
      else latencies.push(now - sentAt);
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, repeat));
  const seconds = (performance.now() - beganAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}
