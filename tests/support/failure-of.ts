/** The error that a promise rejected with; fails the test if it resolved, or rejected with an error of another class. */
export async function failureOf<E extends Error = Error>(
  work: PromiseLike<unknown>,
  type: abstract new (...args: never[]) => E = Error as never,
): Promise<E> {
  try {
    await work;
  } catch (error) {
    if (error instanceof type) return error;
    throw error instanceof Error ? error : new Error(`rejected with a value that is not an Error: ${String(error)}`);
  }
  throw new Error('the promise resolved');
}

/** The message of that error, which an operator reads; fails the test unless it is one line. */
export async function refusalLine(work: PromiseLike<unknown>): Promise<string> {
  const { message } = await failureOf(work);
  if (message.includes('\n')) throw new Error(`more than one line: ${message}`);
  return message;
}

/** The error that a call threw; fails the test if it returned, or threw an error of another class. */
export function thrownBy<E extends Error>(run: () => unknown, type: abstract new (...args: never[]) => E): E {
  try {
    run();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error('the call returned');
}
