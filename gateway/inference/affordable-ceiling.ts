import { compare } from '../../actors/terms/usd.ts';

/**
 * The largest ceiling up to `ceilingMax` whose maximum cost is at most `availableUsd`; 0 where none is. A larger
 * ceiling never costs less, so some twenty estimates find it.
 */
export function affordableCeiling(
  costOf: (completionTokensMax: number) => string,
  ceilingMax: number,
  availableUsd: string,
): number {
  let affordable = 0;
  let beyond = ceilingMax + 1;
  while (beyond - affordable > 1) {
    const middle = Math.floor((affordable + beyond) / 2);
    if (compare(costOf(middle), availableUsd) <= 0) affordable = middle;
    else beyond = middle;
  }
  return affordable;
}
