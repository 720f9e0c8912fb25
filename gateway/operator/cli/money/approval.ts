import { compare } from '../../../../actors/terms/usd.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { ConfigError } from '../../config/config-error.ts';

/** The option `--approved-by`. */
export const APPROVED_BY = {
  meaning: 'who else has approved it, for the record; required above deposits.approvalAboveUsd',
  parse: approverFrom,
} as const;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} .@_-]{0,63}$/u;

/** @throws ConfigError */
export function approverFrom(text: string): string {
  const name = text.trim();
  if (NAME.test(name)) return name;
  throw new ConfigError('--approved-by must be a name of at most 64 letters, digits, blanks and . @ _ -');
}

/**
 * The approval of a second person, as it is recorded in the audit log. Operators share one token, so the name is what the
 * first one states; it stops no one who holds the token. @throws ConfigError if the amount needs one and none is named
 */
export function approvalOf(
  amount: string,
  approvedBy: string | undefined,
  { deposits }: Pick<ClusterConfig, 'deposits'>,
): { readonly approvedBy?: string } {
  if (approvedBy !== undefined) return { approvedBy };
  if (compare(amount, deposits.approvalAboveUsd) <= 0) return {};
  throw new ConfigError(
    `${amount} USD is above deposits.approvalAboveUsd (${deposits.approvalAboveUsd}); have a second person approve it and add --approved-by NAME`,
  );
}
