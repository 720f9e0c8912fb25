import { compare } from '../../../../actors/terms/usd.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import type { GlobalOptions } from '../frame/global-options.ts';

export const APPROVED_BY = 'who else has approved it, for the record; required above deposits.approvalAboveUsd';

export interface ApprovalOptions extends GlobalOptions {
  readonly approvedBy?: string;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} .@_-]{0,63}$/u;

/**
 * The approval of a second person, as it is recorded in the audit log. Operators share one token, so the name is what the
 * first one states; it stops no one who holds the token. @throws ConfigError if the amount needs one and none is named
 */
export async function approvalOf(
  amount: string,
  { approvedBy, config: file, data }: ApprovalOptions,
): Promise<{ readonly approvedBy?: string }> {
  if (approvedBy !== undefined) {
    const name = approvedBy.trim();
    if (NAME.test(name)) return { approvedBy: name };
    throw new ConfigError('--approved-by must be a name of at most 64 letters, digits, blanks and . @ _ -');
  }
  const { deposits } = await loadConfig({ file, data, cwd: process.cwd(), env: null });
  if (compare(amount, deposits.approvalAboveUsd) <= 0) return {};
  throw new ConfigError(
    `${amount} USD is above deposits.approvalAboveUsd (${deposits.approvalAboveUsd}); have a second person approve it and add --approved-by NAME`,
  );
}
