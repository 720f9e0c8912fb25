import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { REASONING_HISTORIES, type ReasoningHistory } from '../../actors/terms/wire.ts';
import { type GatheredAnswer, gatherAnswer } from '../dialects/reply/gather-answer.ts';
import type { ProviderAttempt } from '../providers/adapter.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import { askFor, type CheckSite, converses, isFailure } from './ask.ts';
import { structuredOutputsProbe } from './format-probes.ts';
import { inputProbe } from './input-probes.ts';
import type { QualificationProbe } from './probe.ts';
import { question } from './probe-answer.ts';
import { runProbe } from './run-probe.ts';
import { toolsProbe } from './tool-probes.ts';

/** What one ability showed, and what of the declaration it concerns. */
export interface AbilityFinding {
  readonly ability: string;
  /** Null: the answer shows neither. */
  readonly works: boolean | null;
  readonly declared: boolean;
  readonly detail: string;
  /** A refusal that shows it. */
  readonly failure?: ProviderFailure;
  readonly member: DeclaredMember;
  /** A value of that member that was tried and works. */
  readonly better?: string;
}

/** A parameter of the model's text, its pictures, what its wire says of earlier reasoning or usage, or none. */
type DeclaredMember =
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'input'; readonly name: 'image' }
  | { readonly kind: 'wire'; readonly name: 'reasoning_history' | 'omit' }
  | { readonly kind: 'provider' };

interface Heard extends GatheredAnswer {
  readonly usage: Usage;
}

const EVENTS_MAX = 64 * 1024;
const YES = 'Answer with the single word yes.';
const SUM = 'How many of the numbers from 1 to 20 can be divided by 3 or by 5?';
const PROVIDER: DeclaredMember = { kind: 'provider' };
const HISTORY: DeclaredMember = { kind: 'wire', name: 'reasoning_history' };

/**
 * Tries the abilities of one endpoint with one small request each, declared or not, over the adapters of callers' turns
 * and without a charge. An endpoint that gives no text at all, or that only continues texts, is asked nothing further.
 */
export async function testAbilities(site: CheckSite, endpoint: Endpoint): Promise<readonly AbilityFinding[]> {
  const kind = converses(endpoint) ? 'conversation' : 'continuation';
  const whole = await hear(site, endpoint, question(endpoint.model, YES, { kind }));
  const text = textFinding('text', whole);
  if (isFailure(whole)) return [text];
  const streamed = await hear(site, endpoint, question(endpoint.model, YES, { kind, stream: true }));
  const first = [text, textFinding('stream', streamed), usageFinding(whole, streamed)];
  if (kind === 'continuation') return first;
  return [
    ...first,
    ...(await toolFindings(site, endpoint)),
    ...(await reasoningFindings(site, endpoint)),
    await probed(site, endpoint, inputProbe(endpoint, 'image'), 'image', { kind: 'input', name: 'image' }),
    await probed(site, endpoint, structuredOutputsProbe(endpoint), 'JSON schema', {
      kind: 'parameter',
      name: 'structured_outputs',
    }),
  ];
}

function hear(site: CheckSite, endpoint: Endpoint, turn: Turn): Promise<Heard | ProviderFailure> {
  return askFor(site, endpoint, turn, async (attempt: ProviderAttempt) => {
    const all: TurnEvent[] = [];
    for (let events = await attempt.read(); events !== null; events = await attempt.read()) {
      all.push(...events);
      if (all.length > EVENTS_MAX) throw new ProviderFailure('garbage', 'an endless answer', attempt.status);
    }
    return { ...gatherAnswer(all), usage: attempt.usage };
  });
}

/** A refusal of the request shows something; an overloaded or slow provider nothing. */
function failedBy(failure: ProviderFailure): Pick<AbilityFinding, 'works' | 'detail' | 'failure'> {
  const isShown = failure.reason === 'rejected' || failure.reason === 'misconfigured' || failure.reason === 'garbage';
  return { works: isShown ? false : null, detail: failure.message, failure };
}

function textFinding(ability: string, heard: Heard | ProviderFailure): AbilityFinding {
  const base = { ability, declared: true, member: PROVIDER };
  if (isFailure(heard)) return { ...base, ...failedBy(heard) };
  if (heard.text !== null) return { ...base, works: true, detail: 'it answered' };
  const isCut = heard.finish?.reason === 'length';
  return { ...base, works: isCut ? null : false, detail: isCut ? 'the answer reached its token ceiling' : 'no text' };
}

function usageFinding(whole: Heard, streamed: Heard | ProviderFailure): AbilityFinding {
  const base = { ability: 'usage', declared: true, member: { kind: 'wire', name: 'omit' } } as const;
  if (!isCounted(whole.usage)) return { ...base, works: false, detail: 'a whole answer has no counts of tokens' };
  if (isFailure(streamed)) return { ...base, works: null, detail: 'there was no stream' };
  if (isCounted(streamed.usage)) return { ...base, works: true, detail: 'prompt and answer are counted' };
  return { ...base, works: false, detail: 'a stream has no counts of tokens: they would be estimated' };
}

function isCounted({ promptTokens, completionTokens }: Usage): boolean {
  return promptTokens !== undefined && completionTokens !== undefined;
}

async function toolFindings(site: CheckSite, endpoint: Endpoint): Promise<readonly AbilityFinding[]> {
  const { turn } = toolsProbe(endpoint);
  const member = { kind: 'parameter', name: 'tools' } as const;
  const base = { ability: 'tools', declared: endpoint.supportedParameters.includes('tools'), member };
  const heard = await hear(site, endpoint, { ...turn, stream: true });
  if (isFailure(heard)) return [{ ...base, ...failedBy(heard) }];
  if (heard.toolCalls === null) {
    const isCut = heard.finish?.reason === 'length';
    const detail = isCut ? 'the answer reached its token ceiling' : 'text instead of the required call';
    return [{ ...base, works: isCut ? null : false, detail }];
  }
  const { toolChoice: _, ...free } = turn;
  const results = heard.toolCalls.map(({ id, name }) => ({
    role: 'tool' as const,
    text: 'done',
    toolCallId: id,
    toolName: name,
  }));
  const next = { ...free, messages: [...turn.messages, answerOf(heard), ...results] };
  return [
    { ...base, works: true, detail: 'a required call was made' },
    { ...(await backFinding(site, endpoint, next)), ability: 'tools and back', declared: base.declared },
  ];
}

async function reasoningFindings(site: CheckSite, endpoint: Endpoint): Promise<readonly AbilityFinding[]> {
  const member = { kind: 'parameter', name: 'reasoning' } as const;
  const base = { ability: 'reasoning', declared: endpoint.reasoning !== null, member };
  const turn = question(endpoint.model, SUM, { reasoning: { enabled: true } });
  const heard = await hear(site, endpoint, turn);
  if (isFailure(heard)) return [{ ...base, ...failedBy(heard) }];
  const { reasoning, reasoningDetails, usage } = heard;
  const isShown = reasoning !== '' || reasoningDetails !== null;
  if (!isShown && (usage.reasoningTokens ?? 0) === 0) {
    return [{ ...base, works: base.declared ? null : false, detail: 'the answer shows none' }];
  }
  const found = { ...base, works: true, detail: isShown ? 'the answer shows it' : 'its tokens are counted' };
  if (!isShown) return [found];
  const messages = [...turn.messages, answerOf(heard), { role: 'user', text: 'And from 1 to 10?' } as const];
  return [found, { ...(await backFinding(site, endpoint, { ...turn, messages })), ability: 'reasoning and back' }];
}

/** The answer as clients send it back. */
function answerOf({ text, reasoning, reasoningDetails, toolCalls }: Heard): TurnMessage {
  return {
    role: 'assistant',
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(reasoningDetails === null ? {} : { reasoningDetails }),
    ...(toolCalls === null ? {} : { toolCalls }),
  };
}

/** Whether a conversation with an earlier answer is accepted; where not, in which other form of its reasoning it is. */
async function backFinding(site: CheckSite, endpoint: Endpoint, turn: Turn): Promise<Omit<AbilityFinding, 'ability'>> {
  const base = { declared: true, member: HISTORY };
  const heard = await hear(site, endpoint, turn);
  if (!isFailure(heard)) return { ...base, works: true, detail: 'its own answer was accepted back' };
  const failed = { ...base, ...failedBy(heard) };
  if (heard.reason !== 'rejected') return failed;
  for (const reasoningHistory of REASONING_HISTORIES) {
    if (reasoningHistory === 'auto') continue;
    const other = await hear(site, withHistory(endpoint, reasoningHistory), turn);
    if (!isFailure(other)) return { ...failed, better: reasoningHistory };
  }
  return failed;
}

function withHistory(endpoint: Endpoint, reasoningHistory: ReasoningHistory): Endpoint {
  const { target } = endpoint;
  return { ...endpoint, target: { ...target, wire: { ...target.wire, reasoningHistory } } };
}

async function probed(
  site: CheckSite,
  endpoint: Endpoint,
  probe: QualificationProbe,
  ability: string,
  member: DeclaredMember & { readonly kind: 'parameter' | 'input' },
): Promise<AbilityFinding> {
  const { supportedParameters, inputModalities, model } = endpoint;
  const declared =
    member.kind === 'input' ? inputModalities.includes(member.name) : supportedParameters.includes(member.name);
  const judged = await runProbe(site, endpoint, { ...probe, control: question(model, YES) });
  const works = judged?.verdict === 'passed' ? true : judged?.verdict === 'failed' ? false : null;
  return { ability, works, declared, detail: judged?.detail ?? 'it was aborted', member };
}
