/** The error that a promise rejected with; fails the test if it resolved. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`rejected with a value that is not an Error: ${String(error)}`);
  }
  throw new Error('the promise resolved');
}
