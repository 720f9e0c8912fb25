import { auditLogsAreWhole } from './audit-logs.ts';
import type { Check } from './check.ts';
import type { Joined } from './joined.ts';
import type { KeyEvidence } from './key-evidence.ts';
import {
  codesAreTradedOnce,
  deadKeysAreAlike,
  deadKeysServeNothing,
  keyRatesHold,
  keyTextsAreNowhere,
  kindsStayApart,
  spentKeysServeNothing,
} from './keys.ts';

/** Credentials, keys and the audit logs. */
export function auditKeys(keys: KeyEvidence, joined: Joined): readonly Check[] {
  return [
    deadKeysAreAlike(keys),
    codesAreTradedOnce(keys),
    keyTextsAreNowhere(keys),
    deadKeysServeNothing(keys, joined),
    keyRatesHold(keys, joined),
    kindsStayApart(keys),
    spentKeysServeNothing(keys),
    auditLogsAreWhole(keys),
  ];
}
