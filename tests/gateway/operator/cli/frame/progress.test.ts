import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { progressOf, type ShownBatch } from '../../../../../gateway/operator/cli/client/batch.ts';
import { readRequests } from '../../../../../gateway/operator/cli/client/read-requests.ts';
import { ProgressBar, ProgressLines, type ProgressState } from '../../../../../gateway/operator/cli/frame/progress.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const batch = (status: string, completed: number, failed: number): ProgressState =>
  progressOf({ status, request_counts: { total: 60, completed, failed } } as ShownBatch);

it('in a terminal one line is drawn again, with a bar of the requests that ended', () => {
  const bar = new ProgressBar();
  assert.is(bar.show(batch('validating', 0, 0)), `\r\u001b[K[${'-'.repeat(30)}] 0/60 done, 0 failed, validating`);
  assert.is(
    bar.show(batch('in_progress', 28, 2)),
    `\r\u001b[K[${'#'.repeat(15)}${'-'.repeat(15)}] 30/60 done, 2 failed, in_progress`,
  );
  assert.is(bar.show(batch('completed', 58, 2)), `\r\u001b[K[${'#'.repeat(30)}] 60/60 done, 2 failed, completed`);
  assert.is(bar.end(), '\n');
});

it('elsewhere each change is a line, and nothing is written without one', () => {
  const lines = new ProgressLines();
  assert.is(lines.show(batch('validating', 0, 0)), '0/60 done, 0 failed, validating\n');
  assert.is(lines.show(batch('validating', 0, 0)), '');
  assert.is(lines.show(batch('in_progress', 1, 0)), '1/60 done, 0 failed, in_progress\n');
  assert.is(lines.end(), '');
});

it('seconds that pass are shown in a terminal only', () => {
  const state = { done: 2, summary: 'in_progress' };
  assert.match(new ProgressBar().show({ ...state, detail: '3 s' }), /\[#{30}\] in_progress, 3 s$/);
  const lines = new ProgressLines();
  assert.is(lines.show({ ...state, detail: '3 s' }), 'in_progress\n');
  assert.is(lines.show({ ...state, detail: '4 s' }), '');
});

it('the endpoint is that of the lines, of the option, or chat completions', () => {
  const line = (url?: string): string => JSON.stringify({ custom_id: 'a', body: {}, ...(url ? { url } : {}) });
  const endpointOf = (text: string, endpoint?: string): unknown =>
    (readRequests(text, endpoint === undefined ? {} : { endpoint }) as { endpoint: unknown }).endpoint;
  assert.is(endpointOf(line()), '/v1/chat/completions');
  assert.is(endpointOf(line('/v1/messages')), '/v1/messages');
  assert.is(endpointOf(line(), '/v1/responses'), '/v1/responses');
  assert.is(endpointOf('{"endpoint":"/v1/messages","requests":[]}'), '/v1/messages');
});

test.run();
