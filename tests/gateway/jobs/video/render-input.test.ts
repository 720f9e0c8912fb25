/** What a runner reads of a job before its provider is called, and what a drain waits for. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ActivityFailed } from '../../../../actors/runtime/index.ts';
import { bounded } from '../../../support/bounded.ts';
import { ASK, activityFailure, asset, completedOf, failedOf, on, SYNC } from './scene.ts';

const it = bounded(test, 60_000);

it('a drain waits for a render as long as only the open call knows it', () =>
  on(async (on) => {
    const sync = on.candidate({ target: SYNC(on.simulator.baseUrl) });
    // The synchronous candidate fails, and the next one is polled.
    const candidates = [sync, on.candidate()];
    const input = on.input({ hang: 'create' }, { candidates });
    assert.is(on.isDirect(), false);
    const aborted = new AbortController();
    const run = activityFailure(on.run(input, { signal: aborted.signal }));
    while (on.calls('create').length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.is(on.isDirect(), true);
    aborted.abort(new ActivityFailed('cancelled', 'the job was cancelled', false));
    await run;
    assert.is(on.isDirect(), false);
    const moved = on.run(on.input({ status: 503, fail_first: 2, id: 'moved', render_ms: 300 }, { candidates }));
    while (on.calls('poll').length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.is(on.isDirect(), false);
    completedOf(await moved);
  }));

it('a sealed prompt reaches the provider as it was written (rule B51)', () =>
  on(async (on) => {
    const prompt = await on.sealPrompt('a fox "in" snow @sim {"render_ms":0,"id":"sealed"}');
    completedOf(await on.run(on.input({}, { ask: { ...ASK, prompt } })));
    assert.is(on.calls('create')[0]?.id, 'sealed');
  }));

it('a prompt or an asset whose key is lost is sent to no provider, and the job fails uncharged by our fault (rule V27)', () =>
  on(async (on) => {
    // rule V27
    const prompt = await on.sealPrompt('a fox');
    const assets = await on.sealAssets([Buffer.from('picture')]);
    const lost = async (input: Parameters<typeof on.input>[1]): Promise<void> => {
      const result = failedOf(await on.run(on.input(null, input)));
      const { error, fault, settlement } = result;
      assert.equal([error.code, error.error_type, fault, settlement], [500, 'server', 'marketplace', null]);
    };
    const withAsset = { ask: { ...ASK, assets: [asset('image', 'first_frame', 0, 7)] }, assets };
    on.keys.lose();
    await lost({ ask: { ...ASK, prompt } });
    await lost(withAsset);
    // A key file that an operator deleted is made anew within its hour: what the old one sealed stays lost.
    await on.keys.current();
    await lost({ ask: { ...ASK, prompt } });
    await lost(withAsset);
    assert.is(on.calls('create').length, 0);
  }));

it('a lost prompt does not end a render that its provider has accepted', () =>
  on(async (on) => {
    completedOf(await on.run(on.input({})));
    const prompt = await on.sealPrompt('a fox');
    on.keys.lose();
    const providerJobId = on.calls('create')[0]?.video?.job ?? '';
    on.state.begun = { candidate: 0, remote: { candidate: 0, providerJobId, createdAt: Date.now() } };
    completedOf(await on.run(on.input({}, { ask: { ...ASK, prompt } }), { attempt: 2 }));
    assert.is(on.calls('create').length, 1);
  }));

test.run();
