import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../gateway/dialects/chat/parse.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { CallerAbort } from '../../../gateway/inference/turn-request.ts';
import { JsonReader } from '../../../gateway/json/json-reader.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { generous, stage } from '../stage.ts';
import { callsAt, drain, eventsOf, failed, openScene, sim } from './scene.ts';

const it = bounded(test);
const { a, close } = await openScene();

const LARGE = board(boardEndpoint('a', a.baseUrl, { contextLength: 2_000_000 }));
const large = (): object => {
  const body = sim({ tokens: 1 }) as { messages: { role: string; content: string }[] };
  return { ...body, messages: [{ role: 'system', content: 'wörd "字"\n'.repeat(60_000) }, ...body.messages] };
};

it('a large turn reaches its provider unchanged', async () => {
  const on = stage();
  const body = large();
  await drain(await runTurn(on.services, on.request(body, LARGE)));
  assert.equal(a.calls.at(-1)?.body.messages, (body as { messages: unknown }).messages);
  await on.end();
});

it('schemas kept as text reach their provider as the objects that they are', async () => {
  const on = stage();
  const parameters = { type: 'object', properties: { city: { type: 'string', default: null } } };
  const tools = [{ type: 'function', function: { name: 'weather', description: 'Looks.', parameters, strict: true } }];
  const schema = { type: 'object', properties: { a: { const: 'ü"' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
  const body = { model: 'sim/fast', ...sim({ tokens: 1 }), tools, response_format };
  const reader = new JsonReader();
  reader.feed(Buffer.from(JSON.stringify(body)));
  const able = board(
    boardEndpoint('a', a.baseUrl, { supportedParameters: ['tools', 'structured_outputs'], contextLength: 100_000 }),
  );
  const request = { ...on.request(body, able), turn: parse(reader.end()) };
  await drain(await runTurn(on.services, request));
  const sent = a.calls.at(-1)?.body as { tools: unknown; response_format: unknown };
  assert.equal(sent.tools, tools);
  assert.equal(sent.response_format, response_format);
  await on.end();
});

it('a large turn is not sent if its client leaves while it is written', async () => {
  const signal = new CallerAbort();
  const on = stage({
    answers: (sent) => {
      if (sent.event.type === 'turn.admit') setImmediate(() => signal.abort());
      return generous(sent);
    },
  });
  const body = large();
  const error = await failed(runTurn(on.services, on.request(body, LARGE, signal)));
  assert.is(error.status, 408);
  assert.is(callsAt(a, body), 0);
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
});

test.after(close);
test.run();
