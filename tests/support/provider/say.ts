import type { Directive } from '../../../gateway/simulator/answer/behaviour.ts';

/** One user message with a directive for the simulated provider. */
export function say(directive: Directive): { readonly role: 'user'; readonly content: string }[] {
  return [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }];
}
