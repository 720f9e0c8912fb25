/** Image generations from body to settlement, without HTTP. (rule I100, rule I103) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { HoldRequest, Settlement } from '../../../actors/terms/hold.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { type Stage, stage } from '../stage.ts';
import { drain, eventsOf, failed, openScene, outcomesOf, releaseOf, settlementOf, sim } from './scene.ts';
import { start as startTurn } from './start.ts';

const it = bounded(test);
const { a, b, close } = await openScene();
test.after(close);

const MODEL = 'm/draws';

/** An endpoint that claims to draw; `upstreamId` decides whether it does. */
function drawing(slug: string, baseUrl: string, upstreamId: string, price = '0.1'): Endpoint {
  const plain = boardEndpoint(slug, baseUrl, { id: MODEL });
  return {
    ...plain,
    outputModalities: ['text', 'image'],
    envelopes: { image: { sizes: ['500x400'], imagesMax: 4 } },
    target: { ...plain.target, upstreamId },
    tariff: { id: 'tar_1', discount: 0, prompt: '0', completion: '0', imageMegapixel: price },
  };
}

const PAINTS = drawing('a', a.baseUrl, 'sim/painter');
const WRITES = drawing('a', a.baseUrl, 'sim/fast');
const DEAR_PAINTS = drawing('b', b.baseUrl, 'sim/painter', '0.2');

/** The prompt of a directive. */
function prompt(directive: object = {}): string {
  const { messages } = sim(directive) as { messages: readonly { content: string }[] };
  return messages[0]?.content as string;
}

let generations = 0;

function start(on: Stage, body: object, dialect: 'images' | 'chat' = 'images'): ReturnType<typeof startTurn> {
  return startTurn(on.services, {
    dialect: DIALECTS[dialect],
    body: { model: MODEL, provider: { order: ['a', 'b'] }, ...body },
    session: null,
    generation: `gen-image-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: performance.now(),
  });
}

const endpoints = (...all: readonly Endpoint[]): ReadonlyMap<string, Json> => board(...all);

interface Drawn {
  readonly reply: {
    readonly data: readonly { readonly b64_json: string }[];
    readonly usage: { readonly cost: number };
  };
  readonly settlement: Settlement;
  readonly hold: HoldRequest;
}

async function drawn(body: object, served: readonly Endpoint[] = [PAINTS]): Promise<Drawn> {
  const on = stage({ endpoints: endpoints(...served) });
  const running = await start(on, body);
  const { events, closing } = await endTurn(on.services, running);
  await on.end();
  return {
    reply: JSON.parse(running.request.reply.whole(running.head, events, closing)),
    settlement: settlementOf(on) as Settlement,
    hold: on.asks.find(({ event }) => event.request)?.event.request as HoldRequest,
  };
}

it('one picture is held and charged for unless n says otherwise', async () => {
  const one = await drawn({ prompt: prompt(), size: '500x400' });
  assert.is(one.reply.data.length, 1);
  assert.equal([one.hold.amount, one.settlement.cost], ['0.02', '0.02']);
  const three = await drawn({ prompt: prompt(), size: '500x400', n: 3 });
  assert.is(three.reply.data.length, 3);
  assert.equal([three.hold.amount, three.settlement.cost], ['0.06', '0.06']);
  assert.is(three.reply.usage.cost, 0.06);
});

it('the charge is that of the same picture in chat', async () => {
  const { settlement } = await drawn({ prompt: prompt({ id: 'same' }), size: '500x400' });
  const on = stage({ endpoints: endpoints(PAINTS) });
  const messages = [{ role: 'user', content: prompt({ id: 'same' }) }];
  const chat = { messages, modalities: ['image'], image_config: { n: 1, size: '500x400' } };
  const running = await start(on, chat, 'chat');
  await endTurn(on.services, running);
  await on.end();
  const { cost, media, promptTokens, completionTokens } = settlementOf(on) as Settlement;
  assert.equal(
    [settlement.cost, settlement.media, settlement.promptTokens, settlement.completionTokens],
    [cost, media, promptTokens, completionTokens],
  );
});

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole';

  it(`${how}: an endpoint that answers words fails the attempt, and the next one draws; its words are never charged (rule I103)`, async () => {
    const on = stage({ endpoints: endpoints(WRITES, DEAR_PAINTS) });
    const running = await start(on, { prompt: prompt(), size: '500x400', stream });
    assert.is(running.head.provider, 'B');
    const events = [...(await drain(running)), ...(await endTurn(on.services, running)).events];
    await on.end();
    assert.ok(events.some(({ type }) => type === 'image'));
    assert.is(settlementOf(on)?.cost, '0.04');
    assert.equal(
      settlementOf(on)?.attempts.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['failed', 'contract'],
        ['served', undefined],
      ],
    );
    assert.equal(outcomesOf(on), ['other', 'success'], 'words do not count against the health');
  });

  it(`${how}: where no endpoint draws, 502 says so, nothing is charged and the hold is released (rule I103)`, async () => {
    const on = stage({ endpoints: endpoints(WRITES) });
    const error = await failed(start(on, { prompt: prompt(), stream }));
    await on.end();
    assert.equal([error.status, error.type], [502, 'provider_unavailable']);
    assert.is(error.message, 'No endpoint drew a picture: the answer was without one');
    assert.is(error.headers?.['x-should-retry'], 'false');
    assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
    assert.is(releaseOf(on)?.status, 502);
  });

  it(`${how}: a refused picture is 403, and counts against no endpoint (rule I103)`, async () => {
    const on = stage({ endpoints: endpoints(WRITES) });
    const error = await failed(start(on, { prompt: prompt({ refusal: 'I would rather not.' }), stream }));
    await on.end();
    assert.equal([error.status, error.type], [403, 'content_policy_violation']);
    assert.not.match(JSON.stringify(error), /rather not/);
    assert.equal(outcomesOf(on), ['other']);
  });
}

it('an endpoint that fails before its picture is followed by the next one', async () => {
  const { settlement } = await drawn({ prompt: prompt({ status: 500, only_on: 'a' }), size: '500x400' }, [
    PAINTS,
    DEAR_PAINTS,
  ]);
  assert.is(settlement.cost, '0.04');
  assert.equal(
    settlement.attempts.map(({ outcome }) => outcome),
    ['failed', 'failed', 'served'],
  );
});

it('503 names the modality for a model of text, and the member that no endpoint declares', async () => {
  const text = { ...PAINTS, outputModalities: ['text'] } as Endpoint;
  for (const [body, served, message] of [
    [{}, text, /image is not supported\..*output_modalities=image lists/],
    [{ n: 5 }, PAINTS, /: n is not declared\. Change or leave out n\./],
    [{ size: '640x400' }, PAINTS, /: size is not declared\. Change or leave out size\./],
    [{ quality: 'hd' }, PAINTS, /: quality is not declared\. Change or leave out quality\./],
  ] as const) {
    const on = stage({ endpoints: endpoints(served) });
    const error = await failed(start(on, { prompt: prompt(), ...body }));
    assert.is(error.status, 503);
    assert.match(error.message, message);
    assert.equal(on.asks, []);
    await on.end();
  }
});

const scripted = await startScriptedProvider();
test.after(() => scripted.close());
const SCRIPTED: Endpoint = {
  ...drawing('s', scripted.baseUrl, 'up/draws'),
  inputModalities: ['text', 'image'],
  inputs: { image: { sources: ['url', 'data'], containers: null } },
};

function answerWith(...urls: readonly string[]): void {
  const images = urls.map((url, index) => ({ type: 'image_url', image_url: { url }, index }));
  const choice = { index: 0, message: { role: 'assistant', content: '', images }, finish_reason: 'stop' };
  scripted.answer = ({ response }) => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [choice], usage }));
  };
}

it('the provider receives the prompt, the pictures behind it and the settings; one picture is its default', async () => {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  answerWith('https://pictures.example/drawn.png');
  const { answer } = scripted;
  scripted.answer = (call) => {
    bodies.push(call.body);
    answer(call);
  };
  const url = 'https://pictures.example/a.png';
  const references = [{ type: 'image_url', image_url: { url } }];
  await drawn({ prompt: 'a fox', size: '500X400', input_references: references, partial_images: 2 }, [SCRIPTED]);
  await drawn({ prompt: 'a fox', n: 2, quality: 'auto' }, [SCRIPTED]);
  const [first, second] = bodies.map(({ messages, modalities, image_config, n }) => ({
    ...{ messages, modalities, image_config, n },
  }));
  assert.equal(first, {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'a fox' }, ...references] }],
    modalities: ['text', 'image'],
    image_config: { size: '500x400' },
    n: undefined,
  });
  assert.equal(second?.image_config, { n: 2 });
});

it('a picture by address is passed on as its url, unpriced where megapixels are', async () => {
  answerWith('https://pictures.example/drawn.png');
  const { reply, settlement } = await drawn({ prompt: 'a fox' }, [SCRIPTED]);
  assert.equal(reply.data as readonly unknown[], [{ url: 'https://pictures.example/drawn.png' }]);
  assert.equal([settlement.cost, settlement.unpriced], ['0', ['image_megapixel']]);
});

it('an empty answer counts against the endpoint', async () => {
  answerWith();
  const on = stage({ endpoints: endpoints(SCRIPTED) });
  assert.is((await failed(start(on, { prompt: 'a fox' }))).status, 502);
  await on.end();
  assert.equal(outcomesOf(on), ['error']);
});

it('a member that the provider refuses is named as the caller wrote it', async () => {
  const message = 'size is not supported';
  scripted.answer = ({ response }) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: 'image_config.size' } }));
  };
  const on = stage({ endpoints: endpoints(SCRIPTED) });
  const error = await failed(start(on, { prompt: 'a fox', size: '500x400' }));
  await on.end();
  assert.equal([error.status, error.metadata.param], [400, 'size']);
});

it('a stream that breaks off after a picture ends in an error, and what was drawn is charged', async () => {
  const on = stage({ endpoints: endpoints(SCRIPTED) });
  const { data } = (await drawn({ prompt: prompt(), size: '500x400' })).reply;
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data[0]?.b64_json}` }, index: 0 }];
  scripted.answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '', images } }] })}\n\n`);
    setTimeout(() => response.destroy(), 50);
  };
  const running = await start(on, { prompt: 'a fox', size: '500x400', n: 2, stream: true });
  const frames = running.request.reply.frames(running.head);
  const text = frames.of(await drain(running));
  const ended = await endTurn(on.services, running);
  await on.end();
  assert.match(
    text,
    /^event: image_generation.completed\ndata: .*\n\nevent: error\ndata: .*"code":"provider_unavailable"/,
  );
  assert.equal([frames.end(ended.closing), ended.closing], ['', null]);
  assert.is(settlementOf(on)?.cost, '0.02');
});

test.run();
