import type { Attempt } from '../providers/attempt.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { ToolChoice } from '../terms/turn.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import { BrokenContract } from './broken-contract.ts';
import { demandedChoice } from './tool-ask.ts';

/**
 * Reads until there is something to deliver. Where a tool call was demanded that is the call itself: what comes before
 * it waits, at most `charactersMax` of it, and an answer that ends without it has broken the contract.
 */
export async function firstPart(
  attempt: Attempt,
  choice: ToolChoice | undefined,
  charactersMax: number,
): Promise<readonly TurnEvent[]> {
  const demanded = demandedChoice(choice);
  const gathered: TurnEvent[] = [];
  let characters = 0;
  let refused = false;
  for (;;) {
    const events = await attempt.read();
    if (events === null) throw new ProviderFailure('garbage', 'the answer ended before it began', attempt.status);
    if (demanded === null) return events;
    for (const event of events) {
      gathered.push(event);
      if (event.type === 'tool-start' && (demanded === 'required' || event.name === demanded.name)) {
        // The rest of this batch belongs to the same delivery.
        return gathered.concat(events.slice(events.indexOf(event) + 1));
      }
      if (event.type === 'refusal-delta') refused = true;
      if (event.type === 'finish') {
        const excused = refused || event.reason === 'length' || event.reason === 'content_filter';
        throw new BrokenContract('prose instead of a tool call', attempt.status, excused);
      }
      if ('text' in event) characters += event.text.length;
    }
    if (characters > charactersMax) throw new BrokenContract('prose without end', attempt.status, false);
  }
}
