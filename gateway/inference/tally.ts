import type { FinishReason, TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import { textCount } from '../tokens/count.ts';
import { utf8Bytes } from '../tokens/utf8-bytes.ts';

/** What of an answer was delivered: enough to charge for it when nobody reports its usage. */
export class Tally {
  finish: { readonly reason: FinishReason; readonly native: string | null } | null = null;
  #characters = 0;
  #bytes = 0;

  add(events: readonly TurnEvent[]): void {
    for (const event of events) {
      if ('text' in event) this.#addText(event.text);
      else if (event.type === 'tool-delta') this.#addText(event.arguments);
      else if (event.type === 'tool-start') this.#addText(event.name);
      else if (event.type === 'finish') this.finish = { reason: event.reason, native: event.native };
    }
  }

  /** The reported counts, and our own for the missing ones, never above what the hold was sized for. */
  billed(usage: Usage, promptCounted: number, ceiling: number): Usage {
    if (usage.promptTokens !== undefined && usage.completionTokens !== undefined) return usage;
    return {
      ...usage,
      promptTokens: usage.promptTokens ?? promptCounted,
      completionTokens: usage.completionTokens ?? Math.min(ceiling, textCount(this.#characters, this.#bytes)),
    };
  }

  #addText(text: string): void {
    this.#characters += text.length;
    this.#bytes += utf8Bytes(text);
  }
}

/** A count may be this many times what the hold was sized for before it is taken for noise. */
const CREDIBLE_FACTOR = 2;

/** What was reported, without counts that cannot be true of this turn: those are as good as unreported. */
export function credible(usage: Usage, promptTokensMax: number, completionTokensMax: number): Usage {
  const { promptTokens, completionTokens } = usage;
  const promptOk = promptTokens === undefined || promptTokens <= promptTokensMax * CREDIBLE_FACTOR;
  const completionOk = completionTokens === undefined || completionTokens <= completionTokensMax * CREDIBLE_FACTOR;
  if (promptOk && completionOk) return usage;
  const kept = { ...usage };
  if (!promptOk) delete kept.promptTokens;
  if (!completionOk) delete kept.completionTokens;
  return kept;
}
