/** The attempts to deliver an event. Of the receiver only the host is shown: the path of its URL may have a token. */
import type { Cluster, Inspection } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import type { WebhookState } from '../../../actors/webhook/delivery.ts';
import { ATTEMPTS_MAX } from '../../../actors/webhook/delivery-record.ts';
import { findAddress } from '../find-address.ts';
import { factsOf, type KindTab, type KindTabView, tableOf } from './kind-tab.ts';

export const webhookAttempts: KindTab = { name: 'Attempts', read };

async function read({ rows }: Cluster, { context, state }: Inspection): Promise<KindTabView> {
  const { webhook, attempts, createdAt, nextAttemptAt, endedAt } = context as unknown as WebhookState;
  const job = webhook === null ? null : await findAddress(rows, webhook.job);
  return {
    facts: factsOf([
      ['Status', 'state', state],
      ['Event', 'text', webhook?.type],
      ['About', 'actor', job],
      ['Account', 'actor', webhook && accountAddress(webhook.account)],
      ['Receiver', 'text', webhook?.url],
      ['Attempts', 'text', `${attempts.length} of ${ATTEMPTS_MAX}`],
      ['Created (UTC)', 'time', createdAt],
      ['Next attempt (UTC)', 'time', nextAttemptAt],
      ['Ended (UTC)', 'time', endedAt],
    ]),
    tables: [
      tableOf(
        'Attempts to deliver',
        'No attempt has begun',
        { Attempt: 'number', 'Began (UTC)': 'time', Outcome: 'state' },
        attempts.map(({ at, outcome }, nth) => [nth + 1, at, outcome ?? 'running']),
      ),
    ],
  };
}
