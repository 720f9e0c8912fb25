import type { Generation } from '../../../actors/terms/hold.ts';
import type { Call } from '../../../gateway/simulator/calls/call-log.ts';
import { amount, cost, text } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { CallSeen } from './evidence.ts';
import { type Joined, nonceOf } from './joined.ts';

const CALLS_PER_ENDPOINT_MAX = 2;

/** No generation is charged twice, after any retry. */
export function chargedOnce(joined: Joined): Check {
  const check = new Checking('rule K65', 'a generation is charged at most once');
  for (const [generation, lines] of joined.chargesByGeneration) {
    check.expect(
      lines.length === 1 && generation !== '',
      () => `${generation || '(no generation)'}: ${lines.length} charges`,
    );
  }
  return check.done();
}

/** An idempotency key of an account is charged at most once while it stands for its generation. */
export function chargedOncePerKey(joined: Joined): Check {
  const check = new Checking('rule K66', 'an idempotency key is charged at most once');
  const byKey = new Map<string, string[]>();
  for (const { account, row } of joined.evidence.ledger.generations) {
    if (row.idempotency === undefined) continue;
    const name = `${account} ${row.idempotency.key}`;
    const charged = joined.chargesByGeneration.has(row.generation) ? [row.generation] : [];
    byKey.set(name, (byKey.get(name) ?? []).concat(charged));
  }
  for (const [name, charged] of byKey)
    check.expect(charged.length <= 1, () => `${name}: charged ${charged.join(', ')}`);
  return check.done();
}

/**
 * A charge has an upstream answer, and a delivered answer has its charge, of the same value. An answer without a
 * cost, because its charge could not be recorded at the time, may be charged once or not at all.
 */
export function chargesMatchAnswers(joined: Joined): Check {
  const check = new Checking('rule K68', 'charge <=> delivered answer');
  for (const [generation, lines] of joined.chargesByGeneration) {
    const row = joined.rowById.get(generation);
    const calls = chargedCalls(joined, row);
    check.expect(row?.status === 'settled', () => `${generation}: charged, its row is ${row?.status ?? 'absent'}`);
    const free = lines.every((line) => amount(line.amount) === 0n);
    check.expect(
      free || calls.some(answered),
      () =>
        `${generation}: charged, but no provider answered (${calls.map((call) => call.outcome).join(', ') || 'no call'})`,
    );
  }
  for (const { invoke, outcome } of joined.operations) {
    if (outcome?.type !== 'ok' || outcome.cost === null) continue;
    const shown = outcome.cost;
    const lines = joined.chargesByGeneration.get(outcome.generation) ?? [];
    const charged = lines.length === 1 && lines[0] ? lines[0].amount : null;
    const same = charged !== null && amount(shown) === amount(charged);
    check.expect(
      same,
      () =>
        `${invoke.nonce} ${outcome.generation}: answered cost ${shown}, charges ${lines.map((line) => line.amount).join(', ') || 'none'}`,
    );
  }
  return check.done();
}

/** The charge equals an independent calculation over the counts that the provider reported. */
export function chargesAreExact(joined: Joined): Check {
  const check = new Checking('rule K41', 'charge = floor24(sum of rate x units)');
  for (const { row } of joined.evidence.ledger.generations) {
    const settlement = row.settlement;
    if (settlement === null) continue;
    const lines = joined.chargesByGeneration.get(row.generation) ?? [];
    const charged = lines[0]?.amount ?? '0';
    check.expect(
      amount(charged) === amount(settlement.cost),
      () => `${row.generation}: settled ${settlement.cost}, charged ${charged}`,
    );
    const oracle = expectedCost(joined, row);
    check.expect(
      oracle === amount(settlement.cost),
      () => `${row.generation}: ${settlement.cost}, oracle ${oracle === null ? 'has no price' : text(oracle)}`,
    );
    const reported = reportedBy(joined, row);
    if (settlement.estimated || reported === null) continue;
    const same =
      reported.prompt_tokens === settlement.promptTokens && reported.completion_tokens === settlement.completionTokens;
    check.expect(
      same,
      () =>
        `${row.generation}: counts ${settlement.promptTokens}/${settlement.completionTokens}, provider reported ${JSON.stringify(reported)}`,
    );
  }
  return check.done();
}

/** No provider is called before the hold is stored; a request refused with 402 reaches no provider. */
export function holdComesFirst(joined: Joined): Check {
  const check = new Checking('rule K53', 'hold before provider; 402 reaches no provider');
  for (const call of joined.evidence.calls) {
    if (call.id === null) continue;
    const row = joined.rowByNonce.get(call.id);
    const early = row !== undefined && row.createdAt <= call.startAt + joined.evidence.clockSlackMs;
    check.expect(
      early,
      () => `${call.id}: ${call.provider} called at ${call.startAt}, hold ${row?.createdAt ?? 'absent'}`,
    );
  }
  for (const { invoke, outcome } of joined.operations) {
    if (outcome?.type !== 'fail' || outcome.status !== 402) continue;
    const calls = joined.callsByNonce.get(invoke.nonce) ?? [];
    check.expect(calls.length === 0, () => `${invoke.nonce}: answered 402, but ${calls.length} provider calls`);
  }
  return check.done();
}

/** A charge stays within its hold, or its excess is recorded. */
export function chargeWithinHold(joined: Joined): Check {
  const check = new Checking('rule K69', 'charge <= hold, or its excess recorded');
  for (const { row } of joined.evidence.ledger.generations) {
    if (row.settlement === null) continue;
    const excess = amount(row.settlement.cost) - amount(row.amount);
    const recorded = row.overshoot === null ? 0n : amount(row.overshoot);
    check.expect(
      excess <= 0n ? recorded === 0n : recorded === excess,
      () => `${row.generation}: charge ${row.settlement?.cost}, hold ${row.amount}, recorded excess ${row.overshoot}`,
    );
  }
  return check.done();
}

/** A request that was refused or failed before an answer costs nothing. */
export function refusedIsFree(joined: Joined): Check {
  const check = new Checking('rule K70', 'refused or failed costs 0 and holds nothing');
  for (const { invoke, outcome } of joined.operations) {
    if (outcome?.type !== 'fail' || outcome.delivered) continue;
    const row = joined.rowByNonce.get(invoke.nonce);
    const lines = row ? (joined.chargesByGeneration.get(row.generation) ?? []) : [];
    const charged = lines.some((line) => amount(line.amount) !== 0n);
    check.expect(
      !charged && row?.status !== 'running',
      () =>
        `${invoke.nonce}: answered ${outcome.status}, row ${row?.status ?? 'absent'}, charged ${lines.map((line) => line.amount).join(', ') || 'nothing'}`,
    );
  }
  return check.done();
}

/**
 * At most two calls at one endpoint for one request; the charge is at the price of the serving endpoint. A line of a
 * batch is sent again whenever its node dies before the charge.
 */
export function callsAreBounded(joined: Joined): Check {
  const check = new Checking('rule I132', 'at most two calls per endpoint; the one that served is charged');
  const { submissions = [] } = joined.evidence.batches ?? {};
  const lines = new Set(submissions.flatMap((each) => each.lines.map(({ customId }) => customId)));
  for (const [nonce, calls] of joined.callsByNonce) {
    if (nonce === '') continue;
    for (const provider of lines.has(nonce) ? [] : new Set(calls.map((call) => call.provider))) {
      const count = calls.filter((call) => call.provider === provider).length;
      check.expect(count <= CALLS_PER_ENDPOINT_MAX, () => `${nonce}: ${count} calls at ${provider}`);
    }
    const row = joined.rowByNonce.get(nonce);
    if (!row?.settlement || amount(row.settlement.cost) === 0n) continue;
    const slug = joined.evidence.slugs[row.provider] ?? row.provider;
    const served = chargedCalls(joined, row).some((call) => call.provider === slug && answered(call));
    check.expect(served, () => `${nonce}: charged at ${slug}, which did not answer`);
  }
  return check.done();
}

/** True if the provider sent something billable. */
function answered(call: Call): boolean {
  return call.outcome === 'served' || call.chunks > 0 || (call.outcome === 'garbage' && call.status === 200);
}

function expectedCost(joined: Joined, row: Generation): bigint | null {
  const slug = joined.evidence.slugs[row.provider] ?? row.provider;
  const prices = joined.evidence.prices[slug]?.find((each) => each.model === row.model);
  if (!prices || !row.settlement) return null;
  const { media } = row.settlement;
  return cost([
    { rate: prices.image ?? '0', units: media?.inputImages ?? 0 },
    { rate: prices.imageMegapixel ?? '0', units: media?.megapixels ?? 0 },
    { rate: prices.prompt ?? '0', units: row.settlement.promptTokens ?? 0 },
    { rate: prices.completion ?? '0', units: row.settlement.completionTokens ?? 0 },
    { rate: prices.request ?? '0', units: 1 },
  ]);
}

/** The calls that a charge may cover: those under the charged hold, if the calls record their hold. */
function chargedCalls(joined: Joined, row: Generation | undefined): readonly CallSeen[] {
  const calls = joined.callsByNonce.get((row && nonceOf(row)) ?? '') ?? [];
  const charged = row?.settlement?.attempt;
  return calls.filter(({ holdAttempt = charged }) => holdAttempt === charged);
}

/** The usage of the call that served this generation, if it reported one. */
function reportedBy(joined: Joined, row: Generation): Readonly<Record<string, unknown>> | null {
  const slug = joined.evidence.slugs[row.provider] ?? row.provider;
  return (
    chargedCalls(joined, row).findLast((call) => call.provider === slug && call.outcome === 'served')?.usage ?? null
  );
}
