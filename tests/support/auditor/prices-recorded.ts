import type { Generation } from '../../../actors/terms/hold.ts';
import { type Check, Checking } from './check.ts';
import type { DeclaredPrices } from './evidence.ts';
import type { Joined } from './joined.ts';

const MONEY = /^-?\d{1,40}(\.\d{1,24})?$/;

/** Stored money is decimal text of at most 24 decimals, never a float's digits or exponent. */
export function moneyIsExactText(joined: Joined): Check {
  const check = new Checking('rule K40', 'money is exact decimal text, floored at 24 decimals');
  const { accounts, entries, generations } = joined.evidence.ledger;
  const amounts: (readonly [name: string, text: string])[] = [];
  for (const { address, balance, held } of accounts) amounts.push([address, balance], [address, held]);
  for (const { ref, amount, balance } of entries) amounts.push([ref, amount], [ref, balance]);
  for (const { row } of generations) {
    amounts.push([row.generation, row.amount], [row.generation, row.settlement?.cost ?? '0']);
  }
  for (const [name, text] of amounts) check.expect(MONEY.test(text), () => `${name}: ${text}`);
  return check.done();
}

/** A consumed unit without a declared price is recorded as unpriced, and one with a price never is. */
export function undeclaredIsUnpriced(joined: Joined): Check {
  const check = new Checking('rule K76', 'undeclared price <=> recorded unpriced');
  for (const { row } of joined.evidence.ledger.generations) {
    const prices = declared(joined, row);
    if (row.settlement === null || prices === undefined) continue;
    const { promptTokens, completionTokens, unpriced } = row.settlement;
    const expected = [
      ...(prices.prompt === undefined && (promptTokens ?? 0) > 0 ? ['prompt'] : []),
      ...(prices.completion === undefined && (completionTokens ?? 0) > 0 ? ['completion'] : []),
    ];
    const recorded = unpriced.filter((unit) => unit === 'prompt' || unit === 'completion');
    check.expect(
      String(recorded) === String(expected),
      () => `${row.generation}: unpriced [${unpriced}], without a price [${expected}]`,
    );
  }
  return check.done();
}

/**
 * Conditional prices are evaluated at the time of admission and for the reported length of the prompt, and an
 * unreported count is recorded as unmeasured.
 */
export function conditionsAreRecorded(joined: Joined): Check {
  const check = new Checking(
    'rule K75',
    'tier by the reported count, window of the admission, unmeasured counts recorded',
  );
  for (const { row } of joined.evidence.ledger.generations) {
    if (row.settlement === null) continue;
    const { estimated, unmeasured = [], conditions, promptTokens } = row.settlement;
    check.expect(
      estimated === unmeasured.length > 0,
      () => `${row.generation}: estimated ${estimated}, unmeasured [${unmeasured}]`,
    );
    if (conditions === undefined) continue;
    check.expect(
      unmeasured.includes('prompt') || conditions.promptTokens === promptTokens,
      () => `${row.generation}: tier of ${conditions.promptTokens}, prompt of ${promptTokens}`,
    );
    check.expect(
      conditions.at <= row.createdAt + joined.evidence.clockSlackMs,
      () => `${row.generation}: prices of ${conditions.at}, held at ${row.createdAt}`,
    );
  }
  return check.done();
}

function declared(joined: Joined, row: Generation): DeclaredPrices | undefined {
  const slug = joined.evidence.slugs[row.provider] ?? row.provider;
  return joined.evidence.prices[slug]?.find((each) => each.model === row.model);
}
