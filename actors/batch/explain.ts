import type { View } from '../runtime/index.ts';
import type { BatchState } from './batch-state.ts';

/** For `why`: what the lines of a batch wait for. The runtime adds the runner and attempt of each running line. */
export function explainBatch({ state, context, now }: View): readonly string[] {
  const batch = context as unknown as BatchState;
  const { submitted } = batch;
  if (submitted === null) return ['The batch is being submitted.'];
  return [...progressOf(state, batch, submitted.account, now), ...failuresOf(batch), countsOf(batch)];
}

function progressOf(state: string, batch: BatchState, account: string, now: number): readonly string[] {
  const { unsent, inFlight, submitted, finalizedAt } = batch;
  switch (state) {
    case 'validating':
      return [
        `All ${unsent} lines wait for a slot of account:${account}; \`troupe why account:${account}\` shows who has them.`,
      ];
    case 'in_progress':
    case 'expiring':
      return [...inFlight.map((line) => lineSentence(line, now)), ...restOf(state, batch, account)];
    case 'completing':
    case 'failing':
    case 'cancelling':
      return ['Every line has ended; the results file is being written.'];
    default:
      return [
        `The batch is ${state} since ${new Date(finalizedAt ?? submitted?.createdAt ?? 0).toISOString()}; its results are the file ${batch.resultsFileId}.`,
      ];
  }
}

function restOf(state: string, { unsent, submitted }: BatchState, account: string): readonly string[] {
  if (state === 'expiring') return [`The completion window is closed: ${unsent} lines are not sent.`];
  if (unsent === 0) return [];
  const window = new Date(submitted?.expiresAt ?? 0).toISOString();
  return [`${unsent} lines wait for a slot of account:${account}, which has 8; they are not sent after ${window}.`];
}

function lineSentence({ index, run, waits }: BatchState['inFlight'][number], now: number): string {
  if (waits === undefined) return `Line ${index} has a slot and runs: attempt ${run}.`;
  const seconds = Math.max(0, Math.ceil((waits.until - now) / 1_000));
  return `Line ${index} waits ${seconds} s for attempt ${run}: ${waits.why}.`;
}

/** Lines that failed, by type: money (`payment_required`), the key (`authentication`), endpoints, and so on. */
function failuresOf({ failures }: BatchState): readonly string[] {
  const types = Object.entries(failures).map(([type, count]) => `${count} ${type}`);
  return types.length === 0 ? [] : [`Lines failed: ${types.join(', ')}.`];
}

function countsOf({ total, completed, failed }: BatchState): string {
  return `${completed} of ${total} lines are completed, ${failed} failed.`;
}
