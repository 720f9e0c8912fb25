/** The gateway's samples of required tool calls. (rule C35) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { type Stage, stage } from '../stage.ts';
import { drain, openScene, sim } from './scene.ts';

const it = bounded(test);
const scene = await openScene();
const { onlyA } = scene;

const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
const REQUIRED = { tools, tool_choice: 'required' };
const NAMED = { tools, tool_choice: { type: 'function', function: { name: 'add' } } };

/** Outcome and tool sample of each reported attempt. */
function reported(on: Stage): unknown[] {
  return on.tells.flatMap(({ event }) =>
    (event as unknown as { attempts: { outcome: string; toolAsk?: string }[] }).attempts.map(
      ({ outcome, toolAsk }) => `${outcome} ${toolAsk ?? 'uncounted'}`,
    ),
  );
}

async function report(body: object): Promise<unknown[]> {
  const on = stage();
  try {
    await drain(await runTurn(on.services, on.request(body, onlyA)));
  } catch {
    // A broken contract ends in 502.
  }
  await on.end();
  return reported(on);
}

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole';
  it(`${how}: a required call that arrives is kept, prose in its place is broken`, async () => {
    for (const required of [REQUIRED, NAMED]) {
      assert.equal(await report({ ...sim({}), ...required, stream }), ['success kept']);
      assert.equal(await report({ ...sim({ garbage: 'prose' }), ...required, stream }), ['error broken']);
    }
    assert.equal(await report({ ...sim({ garbage: 'wrong-tool' }), ...NAMED, stream }), ['error broken']);
  });

  it(`${how}: nothing is counted where no call is required`, async () => {
    assert.equal(await report({ ...sim({}), stream }), ['success uncounted']);
    assert.equal(await report({ ...sim({}), tools, tool_choice: 'auto', stream }), ['success uncounted']);
    assert.equal(await report({ ...sim({}), tools, stream }), ['success uncounted']);
  });

  it(`${how}: a failed or broken answer gives no sample of its tools (rule C35)`, async () => {
    assert.equal(await report({ ...sim({ status: 500 }), ...REQUIRED, stream }), ['error uncounted']);
    assert.equal(await report({ ...sim({ status: 400 }), ...REQUIRED, stream }), ['other uncounted']);
    assert.equal(await report({ ...sim({ cut_after: 0 }), ...REQUIRED, stream }), ['error uncounted']);
  });

  it(`${how}: an answer cut at the ceiling or filtered breaks the contract and does not count against the endpoint (rule C35)`, async () => {
    for (const finish of ['length', 'content_filter']) {
      const body = { ...sim({ tool_calls: [], text: 'I would', finish }), ...REQUIRED, stream };
      assert.equal(await report(body), ['other uncounted'], finish);
    }
  });
}

test.after(() => scene.close());

test.run();
