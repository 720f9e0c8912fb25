/** Gives back the charge of one generation. */
import { type PaidInAnswer, recordAdjustment } from '../../actors/account/account.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import { isZero } from '../../actors/terms/usd.ts';
import { absent, GatewayError } from '../terms/gateway-error.ts';
import { findGeneration } from './generations.ts';
import type { ManagementServices } from './services.ts';

type Services = Pick<ManagementServices, 'cluster' | 'askMs'>;

interface Refundable {
  /** Address. */
  readonly account: string;
  /** The charge, exact decimal USD. */
  readonly cost: string;
}

/** Throws 404 for a generation without a record, and 409 for one without a charge. (rule K85) */
export async function requireCharge(services: Pick<Services, 'cluster'>, id: string): Promise<Refundable> {
  const found = await findGeneration(services, null, id);
  if (found === null) {
    const kept = 'a charge is given back while its generation is kept (retention.generations, rule K85)';
    throw absent(`${id} has no record: ${kept}; \`troupe accounts adjust\` corrects a balance after that`, null);
  }
  const { account, generation } = found;
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
