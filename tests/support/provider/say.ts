import type { Directive } from '../../../gateway/simulator/behaviour.ts';

/** One user message that tells the simulated provider what to do. */
export function say(directive: Directive): { readonly role: 'user'; readonly content: string }[] {
  return [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }];
}
