/** The kinds that have a tab of their own. The console draws accounts and endpoints as their pages do. */
import { batchLines } from './batch-lines.ts';
import { fileUses } from './file-uses.ts';
import { keyLimits } from './key-limits.ts';
import type { KindTab } from './kind-tab.ts';
import { videoRender } from './video-render.ts';
import { webhookAttempts } from './webhook-attempts.ts';

const TABS: ReadonlyMap<string, KindTab> = new Map([
  ['batch', batchLines],
  ['video-job', videoRender],
  ['key', keyLimits],
  ['file', fileUses],
  ['webhook', webhookAttempts],
]);

/** Null: it has the tabs of every actor. */
export function tabOfKind(kind: string): KindTab | null {
  return TABS.get(kind) ?? null;
}
