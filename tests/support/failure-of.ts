/** What a promise rejected with; fails the test when it resolved. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`rejected with something that is no error: ${String(error)}`);
  }
  throw new Error('it did not fail');
}
