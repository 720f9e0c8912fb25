import { type Check, Checking } from './check.ts';
import type { Joined } from './joined.ts';
import type { KeyChange, KeyEvidence, KeyUse } from './key-evidence.ts';

/** After an acknowledged change, on every node. (rule K7) */
const EFFECTIVE_MS = 2_000;
const MINUTE_MS = 60_000;

/** A key that is dead, of whatever reason, gets one and the same 401. */
export function deadKeysAreAlike({ uses }: KeyEvidence): Check {
  const check = new Checking('rule K4', 'every dead key gets the same 401');
  const refusals = uses.flatMap(({ status, refusal }) => (status === 401 && refusal !== null ? [refusal] : []));
  for (const refusal of refusals) check.expect(refusal === refusals[0], () => `${refusal} beside ${refusals[0]}`);
  return check.done();
}

/** Of concurrent trades of a code at most one is granted, and every other one is refused alike. */
export function codesAreTradedOnce({ trades }: KeyEvidence): Check {
  const check = new Checking('rule K23', 'a code is traded once');
  const [first] = trades.flatMap(({ refusals }) => refusals);
  for (const { granted, unknown, refusals } of trades) {
    check.expect(granted <= 1, () => `${granted} keys for one code`);
    check.expect(granted + unknown > 0, () => `no key for a code, and no trade of unknown outcome`);
    for (const refusal of refusals) check.expect(refusal === first, () => `${refusal} beside ${first}`);
  }
  return check.done();
}

/** The text of an issued key is in no row, no snapshot and no log. */
export function keyTextsAreNowhere({ searched }: KeyEvidence): Check {
  const check = new Checking('rule K3', 'no key text in the store or the logs');
  for (const { where, found } of searched) check.expect(!found, () => `${where} has the text of a key`);
  return check.done();
}

/** Nothing that was sent 2 s after a key died was served, and no hold began later than that. */
export function deadKeysServeNothing({ changes, uses, credentials }: KeyEvidence, { evidence }: Joined): Check {
  const check = new Checking('rule K7', 'a dead key is refused everywhere within 2 s');
  const addresses = new Map(credentials.map(({ handle, key }) => [handle ?? '', key]));
  for (const { hash, from, to } of spans(changes, isDead)) {
    for (const use of within(uses, hash, from, to)) {
      const { status, way, at } = use;
      check.expect(status !== 200, () => `${hash}: a ${way} ${at - from + EFFECTIVE_MS} ms after its death was served`);
    }
    const slack = evidence.clockSlackMs;
    for (const { row } of evidence.ledger.generations) {
      if (row.key !== addresses.get(hash)) continue;
      const isLate = row.createdAt > from + slack && row.createdAt < to - slack;
      check.expect(!isLate, () => `${row.generation} of ${hash} began ${row.createdAt - from} ms too late`);
    }
  }
  return check.done();
}

/** A key admits no more requests in a minute than its limit, however many arrive at once, on whichever node. */
export function keyRatesHold({ changes, credentials }: KeyEvidence, { evidence }: Joined): Check {
  const check = new Checking('rule E13', 'requests per minute of a key');
  const addresses = new Map(credentials.map(({ handle, key }) => [handle ?? '', key]));
  for (const { hash, perMinute } of changes) {
    if (perMinute === undefined) continue;
    const minutes = new Map<number, number>();
    for (const { row } of evidence.ledger.generations) {
      if (row.key !== addresses.get(hash)) continue;
      const minute = Math.floor(row.createdAt / MINUTE_MS);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    }
    for (const [minute, count] of minutes) {
      check.expect(count <= perMinute, () => `${hash}: ${count} admitted in minute ${minute}, limit ${perMinute}`);
    }
  }
  return check.done();
}

/** A key of the wrong kind is answered 403, unless the request is refused for another reason before. */
export function kindsStayApart({ misused }: KeyEvidence): Check {
  const check = new Checking('rule K9', 'management keys spend nothing, inference keys manage nothing');
  for (const { what, status } of misused) {
    if (status === null || status === 503) continue;
    check.expect(status === 403, () => `${what}: ${status}`);
  }
  return check.done();
}

/** A key with a limit of 0 serves no turn. */
export function spentKeysServeNothing({ changes, uses }: KeyEvidence): Check {
  const check = new Checking('rule K62', 'a key whose limit is used up is answered 402');
  const isSpent = ({ what, limit }: KeyChange): boolean | null =>
    what === 'limit' || what === 'create' ? limit === '0' : null;
  for (const { hash, from, to } of spans(changes, isSpent)) {
    for (const { status, way } of within(uses, hash, from, to)) {
      if (way === 'turn') check.expect(status !== 200, () => `${hash}: served beyond its limit`);
    }
  }
  return check.done();
}

/** True where a change kills the key, false where it revives it, null where it does neither. */
function isDead({ what }: KeyChange): boolean | null {
  if (what === 'revoke' || what === 'disable' || what === 'expire') return true;
  return what === 'enable' ? false : null;
}

interface Span {
  readonly hash: string;
  readonly from: number;
  readonly to: number;
}

/** From 2 s after an acknowledged change into a state until the next change that may have ended it was sent. */
function spans(changes: readonly KeyChange[], begins: (change: KeyChange) => boolean | null): readonly Span[] {
  return changes.flatMap((change, at) => {
    const isAcknowledged = change.status === 200 || change.status === 201;
    if (!isAcknowledged || begins(change) !== true) return [];
    const ended = changes.slice(at + 1).find((later) => later.hash === change.hash && begins(later) === false);
    return [{ hash: change.hash, from: change.endAt + EFFECTIVE_MS, to: ended?.at ?? Number.POSITIVE_INFINITY }];
  });
}

function within(uses: readonly KeyUse[], of: string, from: number, to: number): readonly KeyUse[] {
  return uses.filter(({ hash, at, endAt }) => hash === of && at >= from && endAt <= to);
}
