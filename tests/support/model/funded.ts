import { accountKind } from '../../../actors/account/account.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { Kind } from '../../../actors/runtime/index.ts';
import { PureActors } from './pure-actors.ts';
import { ACCOUNT, createKeyEvent, depositEvent, KEY, START } from './words.ts';

/** An account with its first deposit and one key, on the pure charts of these kinds and of the given ones. */
export function funded(balance: string, key: Record<string, unknown> = {}, more: readonly Kind[] = []): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind, ...more], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, depositEvent('dep-0', balance));
  actors.tell(KEY, createKeyEvent(key));
  return actors;
}
