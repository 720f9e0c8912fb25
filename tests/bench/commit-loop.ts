/** Duration of each commit of a saturated writer in ms, in completion order. */
export type CommitTimes = readonly number[];

/** Consecutive commits for some seconds; `commit` gets a running number that starts at 1 and never repeats. */
export function commitLoop(commit: (turn: number) => Promise<void>): (seconds: number) => Promise<CommitTimes> {
  let turn = 0;
  return async (seconds) => {
    const took: number[] = [];
    const end = performance.now() + seconds * 1_000;
    for (let began = performance.now(); began < end; began = performance.now()) {
      await commit(++turn);
      took.push(performance.now() - began);
    }
    return took;
  };
}
