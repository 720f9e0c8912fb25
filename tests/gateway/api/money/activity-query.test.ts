import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseMonth } from '../../../../actors/terms/month.ts';
import { parseActivityQuery } from '../../../../gateway/api/money/activity.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const NOON = Date.UTC(2026, 2, 1, 12);

function refusal(text: string, now = NOON): string {
  try {
    parseActivityQuery(new URLSearchParams(text), now);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return `${thrown.status} ${thrown.message}`;
    throw thrown;
  }
  return 'accepted';
}

it('without a date the last 30 completed UTC days count, the newest first', () => {
  const days = (now: number) =>
    parseActivityQuery(new URLSearchParams(), now).days.map((day) => new Date(day).toISOString().slice(0, 10));
  assert.equal([days(NOON).length, days(NOON)[0], days(NOON)[29]], [30, '2026-02-28', '2026-01-30']);
  const midnight = Date.UTC(2026, 2, 2);
  assert.equal([days(midnight - 1)[0], days(midnight)[0]], ['2026-02-28', '2026-03-01']);
});

it('a date is one of these days, in the calendar and in its one form (rule K52)', () => {
  for (const date of ['2026-02-28', '2026-01-30']) assert.is(refusal(`date=${date}`), 'accepted');
  for (const date of ['', '28-02-2026', '2026-2-28', '2026-02-30', '2026-02-28T00:00:00Z', '99999-01-01']) {
    assert.is(refusal(`date=${date}`), '400 date must be YYYY-MM-DD', date);
  }
  for (const date of ['2026-03-01', '2026-01-29', '2027-02-28']) {
    assert.is(refusal(`date=${date}`), '400 date must be one of the last 30 completed UTC days', date);
  }
});

it('every other parameter is checked and named', () => {
  const hash = 'a1'.repeat(32);
  for (const text of [`api_key_hash=${hash}`, 'user_id=u_1', 'workspace_id=ws_1', 'group_by=workspace']) {
    assert.is(refusal(text), 'accepted', text);
  }
  for (const value of ['', hash.slice(1), hash.toUpperCase(), `${hash}0`, '%25']) {
    assert.match(refusal(`api_key_hash=${value}`), /^400 api_key_hash/, value);
  }
  for (const name of ['user_id', 'workspace_id']) {
    for (const value of ['', 'a%20b', 'a%00', 'x'.repeat(97)])
      assert.match(refusal(`${name}=${value}`), /^400 /, value);
    assert.is(refusal(`${name}=a&${name}=a`), `400 ${name} may be given once`);
  }
  assert.is(refusal('group_by=key'), '400 group_by must be workspace');
});

it('a month is a year and a month of it', () => {
  const { name, from, till } = parseMonth('2026-12') as NonNullable<ReturnType<typeof parseMonth>>;
  assert.equal([name, from, till], ['2026-12', Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1)]);
  for (const text of ['2026-13', '2026-00', '2026-1', '202-11', '2026-11-01', '', '٢٠٢٦-11']) {
    assert.is(parseMonth(text), null, text);
  }
});

test.run();
