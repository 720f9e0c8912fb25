import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HalfHour } from '../../../../actors/endpoint/history.ts';
import type { RowReader } from '../../../../actors/runtime/index.ts';
import { EndpointHistories } from '../../../../gateway/pages/catalogue/endpoint-histories.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const MINUTE = 60_000;
const HALF_HOUR: HalfHour = { start: 0, success: 1, error: 0, ttft: null, response: null, throughput: null };

class Rows {
  now = 1_000_000;
  rowsEach = 1;
  isDown = false;
  atOnce = 0;
  atOnceMost = 0;
  readonly asked: string[] = [];

  readonly histories = new EndpointHistories({
    now: () => this.now,
    rows: { rows: (query: { address?: string }) => this.#read(String(query.address)) } as unknown as RowReader,
  });

  async #read(address: string): Promise<readonly { body: string }[]> {
    this.asked.push(address);
    this.atOnceMost = Math.max(this.atOnceMost, ++this.atOnce);
    await new Promise(setImmediate);
    this.atOnce--;
    if (this.isDown) throw new Error('the store is out of reach');
    return Array.from({ length: this.rowsEach }, () => ({ body: JSON.stringify(HALF_HOUR) }));
  }
}

it('rows of an endpoint are read once a minute, whoever asks, one endpoint after the other', async () => {
  const rows = new Rows();
  const both = ['ep_a', 'ep_b'];
  const views = await Promise.all(Array.from({ length: 50 }, () => rows.histories.of(both)));
  assert.equal(rows.asked, ['endpoint:ep_a', 'endpoint:ep_b']);
  assert.is(rows.atOnceMost, 1);
  for (const view of views)
    assert.equal(
      [...view],
      both.map((id) => [id, [HALF_HOUR]]),
    );
  rows.now += MINUTE - 1;
  await rows.histories.of(both);
  assert.is(rows.asked.length, 2);
  rows.now += 1;
  await rows.histories.of(['ep_b']);
  assert.equal(rows.asked.slice(2), ['endpoint:ep_b']);
});

it('a failed read is tried again by the next view', async () => {
  const rows = new Rows();
  rows.isDown = true;
  const failed = await rows.histories.of(['ep_a']).catch((error: Error) => error.message);
  assert.is(failed, 'the store is out of reach');
  rows.isDown = false;
  assert.is((await rows.histories.of(['ep_a'])).size, 1);
});

it('what is remembered is bounded by half hours: many endpoints displace each other', async () => {
  const rows = new Rows();
  rows.rowsEach = 336;
  const many = Array.from({ length: 200 }, (_, nth) => `ep_${nth}`);
  await rows.histories.of(many);
  rows.asked.length = 0;
  await rows.histories.of(many.slice(-100));
  assert.is(rows.asked.length, 0, 'the newest are remembered');
  await rows.histories.of(['ep_0']);
  assert.is(rows.asked.length, 1, 'the oldest made room');
});

test.run();
