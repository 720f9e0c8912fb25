import type { KeyView } from '../../../actors/key/statement.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { defaultWorkspaceId } from '../../../actors/terms/ids.ts';
import { exactNumber } from '../../json/exact-json.ts';
import type { ListedKey } from '../../management/list-keys.ts';
import { isQuarantined } from '../../management/services.ts';

/** What a key shows; null where a quarantined key's state would have to say it. */
interface ShownKey extends Omit<KeyView, 'account' | 'held' | 'perMinute' | 'createdBy' | keyof Unknown> {
  readonly isDisabled: boolean;
}

interface Unknown {
  readonly status: KeyView['status'] | 'quarantined';
  readonly usage: string | null;
  readonly usageDaily: string | null;
  readonly usageWeekly: string | null;
  readonly usageMonthly: string | null;
}

/** A key for `renderExact`. (rule K15) */
export function keyObject(view: KeyView): object {
  return shownKey({ ...view, isDisabled: view.status === 'disabled' || view.status === 'revoked' });
}

/** A key of a list. One whose state does not load shows what its credential says. (rule K83) */
export function listedKeyObject({ credential, state }: ListedKey): object {
  if (!isQuarantined(state)) return keyObject(state);
  return shownKey({
    ...credential,
    workspace: credential.workspace ?? null,
    status: 'quarantined',
    isDisabled: credential.status !== 'active',
    limit: null,
    limitRemaining: null,
    limitWindow: null,
    limitResetAt: null,
    usage: null,
    usageDaily: null,
    usageWeekly: null,
    usageMonthly: null,
    updatedAt: null,
    member: null,
    origin: null,
  });
}

/** The members of the convention, and ours. There are no bring-your-own keys. */
function shownKey(view: ShownKey & Unknown): object {
  const none = exactNumber('0');
  return {
    hash: view.handle,
    name: view.name,
    label: view.label,
    disabled: view.isDisabled,
    limit: exactNumber(view.limit),
    limit_remaining: exactNumber(view.limitRemaining),
    limit_reset: view.limitWindow,
    limit_resets_at: isoOf(view.limitResetAt),
    include_byok_in_limit: false,
    usage: exactNumber(view.usage),
    usage_daily: exactNumber(view.usageDaily),
    usage_weekly: exactNumber(view.usageWeekly),
    usage_monthly: exactNumber(view.usageMonthly),
    byok_usage: none,
    byok_usage_daily: none,
    byok_usage_weekly: none,
    byok_usage_monthly: none,
    created_at: isoOf(view.createdAt),
    updated_at: isoOf(view.updatedAt),
    expires_at: isoOf(view.expiresAt),
    creator_user_id: view.member,
    external_user: null,
    workspace_id: workspaceIdOf(view),
    kind: view.kind,
    status: view.status,
    origin: view.origin,
  };
}

/** The id of the key's workspace. */
export function workspaceIdOf({ key, workspace }: Pick<KeyView, 'key' | 'workspace'>): string {
  return workspace ?? defaultWorkspaceId(ownerOf(key));
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
