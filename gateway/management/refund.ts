/** Gives back the charge of one generation. */
import { type PaidInAnswer, recordAdjustment } from '../../actors/account/account.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import { isZero } from '../../actors/terms/usd.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { requireGeneration } from './generations.ts';
import type { ManagementServices } from './services.ts';

type Services = Pick<ManagementServices, 'cluster' | 'askMs'>;

interface Refundable {
  /** Address. */
  readonly account: string;
  /** The charge, exact decimal USD. */
  readonly cost: string;
}

/** Throws 404 for an unknown generation, and 409 for one without a charge. */
export async function requireCharge(services: Pick<Services, 'cluster'>, id: string): Promise<Refundable> {
  const { account, generation } = await requireGeneration(services, null, id);
  const cost = generation.settlement?.cost ?? '0';
  if (!isZero(cost)) return { account, cost };
  const message = `${id} has no charge: it is ${generation.status}`;
  throw new GatewayError({ status: 409, type: 'conflict', message });
}

/** The id of the adjustment is derived from the generation, so that a charge is given back once. */
export async function refund(
  services: Services,
  id: string,
  why: { readonly reason: string; readonly by: Principal },
): Promise<{ readonly account: string; readonly made: PaidInAnswer }> {
  const { account, cost } = await requireCharge(services, id);
  const adjustment = { id: `refund-${id}`, amount: cost, ...why };
  return { account, made: await recordAdjustment(services.cluster, account, adjustment, services.askMs) };
}
