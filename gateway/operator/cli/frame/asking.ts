/** Commands that ask a running cluster. */
import { type AddCommand, type Given, local, type Meanings, type Parts } from './command.ts';
import { type Session, withSession } from './session.ts';

interface Asking<A extends Meanings, O extends Meanings, T> extends Parts<A, O, T> {
  readonly ask: (given: Given<A, O>, session: Session) => Promise<T>;
}

/** Connects to the cluster that the options name, and prints what it answers. */
export function command<const A extends Meanings, const O extends Meanings, T>(
  name: string,
  description: string,
  { ask, ...parts }: Asking<A, O, T>,
): AddCommand {
  return local(name, description, {
    ...parts,
    run: (given: Given<A, O>) => withSession(given, (session) => ask(given, session)),
  });
}
