import type { Generation, Settlement } from '../../../actors/terms/hold.ts';
import { apiTypeOf } from '../../management/generation-record.ts';
import { type Html, html } from '../kit/html.ts';
import type { PrivateVisit } from '../kit/page-route.ts';
import { facts, table } from '../kit/parts/elements.ts';
import { countText, durationText } from '../kit/parts/format.ts';
import { time, usd } from '../kit/parts/text.ts';
import { endpointText, type Names } from './names.ts';

/** What was asked, by whom, and how it ended. */
export function requestFacts(visit: PrivateVisit, generation: Generation, names: Names): Html {
  const { settlement, release } = generation;
  const total = settlement?.generationMs ?? release?.totalMs ?? null;
  const first = settlement?.latencyMs ?? null;
  return facts([
    ['Created (UTC)', time(generation.createdAt)],
    ['Endpoint', endpointText(visit, generation.endpoint, generation.provider)],
    ['Key', names.key(generation.key)],
    ['Answered as', answerText(generation)],
    ['First part after', first !== null && durationText(first)],
    ['Whole request', total !== null && durationText(total)],
    ['Finished because', settlement?.finishReason],
    [
      'Not charged because',
      release !== null && `${release.reason}${release.status === null ? '' : ` (${release.status})`}`,
    ],
    ['Left early', settlement?.cancelled === true && 'the client disconnected before the end'],
    ['Application', generation.appTitle ?? generation.appUrl],
    ['Conversation', generation.sessionId !== null && html`<code>${generation.sessionId}</code>`],
    ['Unread members', (generation.unread ?? []).length > 0 && generation.unread?.join(', ')],
  ]);
}

function answerText(generation: Generation): string {
  if (apiTypeOf(generation) === 'video') return 'a video job';
  return generation.streamed ? 'a stream' : 'a whole reply';
}

/** What was held and charged, and for which quantities. */
export function moneyFacts({ settlement, amount, overshoot, moves = [], status }: Generation, prices: Html): Html {
  const units = settlement?.unpriced ?? [];
  const videoSeconds = settlement?.media?.videoSeconds;
  return facts([
    [
      'Held',
      html`${usd(amount)}${moves.length > 0 && html` <span class="hint">after ${moves.length} earlier ${moves.length === 1 ? 'hold' : 'holds'}</span>`}`,
    ],
    ['Charged', settlement === null ? (status === 'running' ? 'when it ends' : usd('0')) : usd(settlement.cost)],
    ['Above the hold', overshoot !== null && usd(overshoot)],
    ['Video', videoSeconds !== undefined && `${videoSeconds} s`],
    ['Tokens', settlement !== null && videoSeconds === undefined && tokens(settlement)],
    [
      'Prompt cut',
      settlement?.promptTokensCut !== undefined &&
        `the provider read ${countOf(settlement.promptTokens)} of about ${countText(settlement.promptTokensCut)} tokens`,
    ],
    ['Counted by', settlement?.estimated === true && countedBy(settlement)],
    ['Without a price', units.length > 0 && units.join(', ')],
    ['Prices', prices],
  ]);
}

function countedBy({ promptTokensRefused: refused }: Settlement): string {
  if (refused === undefined) return 'Troupe: the provider reported no usage';
  return `Troupe: the provider reported an implausible prompt of ${refused} tokens`;
}

function tokens({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
}: NonNullable<Generation['settlement']>): string {
  const parts = [`${countOf(promptTokens)} prompt`, `${countOf(completionTokens)} completion`];
  if (cachedTokens !== null && cachedTokens > 0) parts.push(`${countText(cachedTokens)} cached`);
  if (reasoningTokens !== null && reasoningTokens > 0) parts.push(`${countText(reasoningTokens)} reasoning`);
  return parts.join(', ');
}

function countOf(count: number | null): string {
  return count === null ? 'unknown' : countText(count);
}

/** The calls to providers, in order. */
export function attemptTable(
  { settlement, release, status }: Generation,
  endpointOf: (id: string, provider: string) => Html,
): Html {
  const attempts = settlement?.attempts ?? release?.attempts ?? [];
  return table({
    caption: 'Attempts in order',
    columns: [{ number: '#' }, 'Endpoint', 'Outcome', 'Reason', { number: 'Status' }, { number: 'First part' }],
    rows: attempts.map(({ provider, endpoint, outcome, reason, status, latencyMs }, at) => [
      at + 1,
      endpointOf(endpoint, provider),
      outcome,
      reason ?? '',
      status ?? '–',
      latencyMs === null ? '–' : durationText(latencyMs),
    ]),
    empty: status === 'running' ? 'No provider has been called yet.' : 'No call to a provider is recorded.',
  });
}
