import type { ProviderAttempt } from '../providers/adapter.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { Turn } from '../terms/turn.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import { type KindRules, rulesOf } from '../terms/turn-kind.ts';
import { BrokenContract, requiredChoice } from './tool-ask.ts';

/** The settings of a turn that decide when its answer has begun. */
type DeliveryConditions = Pick<Turn, 'kind' | 'toolChoice' | 'reasoning'>;

/**
 * Reads until there is something to deliver; null where the answer ended before it began. Where a tool call is
 * required, the first delivery is the call itself: earlier parts wait, at most `charactersMax` characters, and an
 * answer that ends without the call has broken the contract. The part that a kind of turn owes likewise. Where reasoning is hidden, it
 * is the first visible part: an endpoint that breaks off during its reasoning has delivered nothing.
 */
export function firstDelivery(
  attempt: ProviderAttempt,
  conditions: DeliveryConditions,
  charactersMax: number,
): Promise<readonly TurnEvent[] | null> {
  const required = requiredChoice(conditions.toolChoice);
  if (required !== null) return requiredCall(attempt, required, charactersMax);
  const { owed } = rulesOf(conditions);
  if (owed !== null) return requiredPart(attempt, owed, charactersMax);
  return conditions.reasoning?.excluded ? firstVisible(attempt, charactersMax) : attempt.read();
}

async function requiredCall(
  attempt: ProviderAttempt,
  required: 'required' | { readonly name: string },
  charactersMax: number,
): Promise<readonly TurnEvent[]> {
  const gathered: TurnEvent[] = [];
  let characters = 0;
  let refused = false;
  for (;;) {
    const events = await nextOf(attempt);
    for (const event of events) {
      gathered.push(event);
      if (event.type === 'tool-start' && (required === 'required' || event.name === required.name)) {
        // The rest of this batch belongs to the same delivery.
        return gathered.concat(events.slice(events.indexOf(event) + 1));
      }
      if (event.type === 'refusal-delta') refused = true;
      if (event.type === 'finish') {
        const excused = refused || event.reason === 'length' || event.reason === 'content_filter';
        throw new BrokenContract('prose instead of a tool call', attempt.status, excused);
      }
      characters += weightOf(event);
    }
    if (characters > charactersMax) throw new BrokenContract('prose without end', attempt.status, false);
  }
}

/**
 * A refused part fails as the provider's refusal, so that another endpoint may make it. Words instead of it are excused,
 * since a prompt can ask for them; an empty answer is not.
 */
async function requiredPart(
  attempt: ProviderAttempt,
  { part, name }: NonNullable<KindRules['owed']>,
  charactersMax: number,
): Promise<readonly TurnEvent[]> {
  const gathered: TurnEvent[] = [];
  let characters = 0;
  let worded = false;
  let refused = false;
  for (;;) {
    const events = await nextOf(attempt);
    gathered.push(...events);
    if (events.some(({ type }) => type === part)) return gathered;
    for (const event of events) {
      if (event.type === 'text-delta') worded = true;
      if (event.type === 'refusal-delta') refused = true;
      if (event.type === 'finish') {
        if (refused || event.reason === 'content_filter') throw refusedPart(attempt, name);
        throw new BrokenContract(`no ${name}`, attempt.status, worded || event.reason === 'length');
      }
      characters += weightOf(event);
    }
    if (characters > charactersMax) throw new BrokenContract('words without end', attempt.status, true);
  }
}

function refusedPart({ status }: ProviderAttempt, name: string): ProviderFailure {
  return new ProviderFailure('rejected', `the ${name} was refused`, status, { code: 'content_policy_violation' });
}

/** Gathers hidden reasoning until the first visible part, up to `charactersMax`; beyond that it counts as delivered. */
async function firstVisible(attempt: ProviderAttempt, charactersMax: number): Promise<readonly TurnEvent[]> {
  const gathered: TurnEvent[] = [];
  let characters = 0;
  while (characters <= charactersMax) {
    const events = await nextOf(attempt);
    for (const event of events) {
      gathered.push(event);
      characters += weightOf(event);
    }
    if (!events.every(isReasoning)) break;
  }
  return gathered;
}

async function nextOf(attempt: ProviderAttempt): Promise<readonly TurnEvent[]> {
  const events = await attempt.read();
  if (events === null) throw endedEarly(attempt);
  return events;
}

export function endedEarly({ status }: ProviderAttempt): ProviderFailure {
  return new ProviderFailure('garbage', 'the answer ended before it began', status);
}

/** Scores without a text belong to reasoning. */
function isReasoning({ type }: TurnEvent): boolean {
  return type === 'reasoning-delta' || type === 'reasoning-detail' || type === 'logprobs';
}

/** Minimum weight of one part: bounds the memory of many empty parts as it bounds prose without end. */
const PART_CHARACTERS_MIN = 64;

/** Approximate characters that a waiting part keeps in memory. */
function weightOf(event: TurnEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
      return PART_CHARACTERS_MIN + event.text.length;
    case 'tool-delta':
      return PART_CHARACTERS_MIN + event.arguments.length;
    case 'image':
      return PART_CHARACTERS_MIN + event.url.length;
    case 'audio-delta':
      return PART_CHARACTERS_MIN + (event.data?.length ?? 0) + (event.transcript?.length ?? 0);
    case 'reasoning-detail': {
      const { text, summary, data } = event.detail;
      return PART_CHARACTERS_MIN + (text?.length ?? 0) + (summary?.length ?? 0) + (data?.length ?? 0);
    }
    case 'logprobs':
      return PART_CHARACTERS_MIN * (1 + (event.content?.length ?? 0) + (event.refusal?.length ?? 0));
    default:
      return PART_CHARACTERS_MIN;
  }
}
