import { AskError } from '../../../actors/runtime/index.ts';

/** The outcome of an ask for its sender. Any error other than an `AskError` is a defect and is rethrown. */
export type Ending<T> =
  | { readonly type: 'ok'; readonly body: T }
  | { readonly type: 'fail'; readonly code: string }
  | { readonly type: 'unknown'; readonly code: string };

export async function endingOf<T>(asked: Promise<T>): Promise<Ending<T>> {
  try {
    return { type: 'ok', body: await asked };
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    const { code } = error.failure;
    // A step without a reply may have changed state.
    const perhaps = error.mayHaveHappened || code === 'unhandled';
    return { type: perhaps ? 'unknown' : 'fail', code };
  }
}
