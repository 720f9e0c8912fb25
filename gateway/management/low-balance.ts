import { setLowBalance } from '../../actors/account/account.ts';
import { accountAddress } from '../../actors/terms/ids.ts';
import { parseUsd } from '../../actors/terms/usd.ts';
import { invalid } from '../terms/gateway-error.ts';
import type { ManagementServices, Tenant } from './services.ts';

/**
 * Sets below which balance the account's feed has the event `balance.low`, once per crossing: `low_balance` is a decimal
 * text, or null for no notice. Returns the threshold. Throws 400.
 */
export async function setNotice(
  { cluster, askMs }: ManagementServices,
  { account, by }: Tenant,
  input: unknown,
): Promise<string | null> {
  const value = (input as { readonly low_balance?: unknown } | null)?.low_balance;
  const lowBalance = typeof value === 'string' ? parseUsd(value) : null;
  if (value !== null && lowBalance === null) {
    throw invalid('low_balance must be a decimal number of USD as text, or null');
  }
  return (await setLowBalance(cluster, accountAddress(account), { lowBalance, by }, askMs)).lowBalance;
}
