import { announceWebhook, mintSigningSecret } from '../../actors/terms/webhook.ts';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import { listDeliveries } from '../../actors/webhook/webhook.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { World } from './world.ts';

const URL_OF_HOOK = 'https://hooks.example.com/done';
const RETENTION_MS = 30 * 24 * 3_600_000;

export class WebhookWorld extends World {
  /** As a job does: the secret at its submission, the event at its end. */
  announce(via: VirtualNode, account: string, job: string, url = URL_OF_HOOK): void {
    const type = 'video.generation.completed';
    const document = JSON.stringify({ id: job, status: 'completed' });
    const announced = { account, job, type, at: via.node.now(), url, document, retentionMs: RETENTION_MS } as const;
    for (const effect of [mintSigningSecret(account), announceWebhook(announced)]) {
      if (effect.type === 'send') via.node.tell(effect.to, effect.event);
    }
  }

  async deliveries(via: VirtualNode, account: string): Promise<readonly DeliveryRecord[]> {
    const page = await listDeliveries(via.node, account, { limit: 100, after: null });
    return page?.deliveries ?? [];
  }

  /** The only delivery of the account, once it matches. */
  async until(via: VirtualNode, account: string, holds: (row: DeliveryRecord) => boolean): Promise<DeliveryRecord> {
    const read = async () => (await this.deliveries(via, account))[0];
    const isSeen = (row: DeliveryRecord | undefined) => row !== undefined && holds(row);
    return (await this.seen(read, isSeen, 'the delivery is as expected', 120_000)) as DeliveryRecord;
  }
}
