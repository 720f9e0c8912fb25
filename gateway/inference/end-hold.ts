import { release, settle } from '../../actors/account/account.ts';
import { AskError } from '../../actors/runtime/index.ts';
import type { Release, Settled, Settlement } from '../../actors/terms/hold.ts';
import type { RefusedAnswer } from '../../actors/terms/refusal.ts';
import type { InferenceServices } from './services.ts';

/**
 * The two ends of a hold, each sent to the account until it is acknowledged. The caller waits for the first answer to a
 * charge and never for a release. An unanswered message is repeated in the background up to a bound; the natural id of
 * the generation makes repeats harmless.
 */

/** Releases a hold without a charge, in the background, until the account acknowledges it. */
export function releaseHold(services: InferenceServices, account: string, ended: Release): void {
  const { cluster, config, pending } = services;
  const { generation } = ended;
  const send = async (): Promise<void> => {
    logRefused(services, generation, await release(cluster, account, ended, config.upstream.askMs));
  };
  pending.add(untilAcknowledged(services, generation, send).finally(() => services.measures.holdEnded()));
}

/** Charges a hold. Null when the account did not acknowledge it now; the charge is then repeated in the background. */
export async function chargeHold(
  services: InferenceServices,
  account: string,
  settlement: Settlement,
): Promise<Settled | null> {
  const { cluster, config, pending } = services;
  const { generation } = settlement;
  try {
    const settled = closed(services, generation, await settle(cluster, account, settlement, config.upstream.askMs));
    if (settled === null) services.measures.holdEnded();
    return settled;
  } catch (thrown) {
    if (!(thrown instanceof AskError)) throw thrown;
    if (logDeferred(services, generation, thrown)) {
      services.measures.holdEnded();
      return null;
    }
    const again = async (): Promise<void> => {
      closed(services, generation, await settle(cluster, account, settlement, config.upstream.askMs));
    };
    const settled = pauseThen(services, () => untilAcknowledged(services, generation, again));
    pending.add(settled.finally(() => services.measures.holdEnded()));
    return null;
  }
}

function closed(services: InferenceServices, generation: string, answer: Settled | RefusedAnswer): Settled | null {
  if (logRefused(services, generation, answer)) return null;
  services.crashpoint('settle.committed');
  return answer as Settled;
}

function logRefused(services: InferenceServices, generation: string, answer: object): answer is RefusedAnswer {
  if (!('refusal' in answer)) return false;
  services.log({ level: 'error', message: 'the account refused the end of a hold', generation, answer });
  return true;
}

/**
 * True where the account is quarantined and its runtime has deferred the message that ends the hold. The runtime
 * replays the message once the account loads again, so the gateway does not repeat it; an operator has to repair the
 * account.
 */
function logDeferred(services: InferenceServices, generation: string, thrown: unknown): boolean {
  if (!(thrown instanceof AskError) || thrown.failure.code !== 'quarantined' || !thrown.failure.deferred) return false;
  const message = 'the end of a hold is deferred because its account is quarantined';
  services.log({ level: 'error', message, generation, detail: thrown.message });
  return true;
}

/** Repeats a message to the account with pauses, up to the configured bound. Afterwards the hold's deadline ends it. */
async function untilAcknowledged(
  services: InferenceServices,
  generation: string,
  send: () => Promise<void>,
): Promise<void> {
  const { settleRetriesMax } = services.config.upstream;
  let detail = '';
  for (let sent = 0; sent < settleRetriesMax; sent++) {
    try {
      await send();
      return;
    } catch (thrown) {
      if (logDeferred(services, generation, thrown)) return;
      detail = thrown instanceof Error ? thrown.message : String(thrown);
      const pointless = !(thrown instanceof AskError) || thrown.failure.code === 'absent';
      if (pointless) break;
    }
    await pause(services);
  }
  services.log({ level: 'error', message: 'the end of a hold was not acknowledged', generation, detail });
}

async function pauseThen(services: InferenceServices, next: () => Promise<void>): Promise<void> {
  await pause(services);
  await next();
}

function pause({ clock, config }: InferenceServices): Promise<void> {
  return new Promise((resolve) => {
    clock.after(config.upstream.settleRetryMs, resolve);
  });
}
