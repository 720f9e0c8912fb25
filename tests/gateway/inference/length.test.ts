/** Prompts near the end of a window, at a provider that counts them by a tokenizer and refuses what does not fit. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { chatDialect } from '../../../gateway/dialects/chat/chat-dialect.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { longSources, longText } from '../../fixtures/tokens/long-prompts.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { Dice } from '../pricing/random-charge.ts';
import { type Stage, stage } from '../stage.ts';
import { failed, settlementOf } from './scene.ts';
import { start as startTurn } from './start.ts';

const it = bounded(test, 60_000);
const COUNT = { cl100k_base: cl100k, o200k_base: o200k };
type Tokenizer = keyof typeof COUNT;
const TEMPLATE_TOKENS = 9;

interface Sent {
  readonly messages: readonly { readonly content: string }[];
  readonly max_tokens: number;
}

/** A provider whose window and tokenizer are in the path of its address. */
class CountingProvider {
  readonly sent: Sent[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        const [, tokenizer, window] = (request.url ?? '').split('/');
        const answer = this.#answer(JSON.parse(text) as Sent, COUNT[tokenizer as Tokenizer], Number(window));
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      });
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  endpoint(slug: string, tokenizer: Tokenizer, contextLength: number, declared: string | null = tokenizer): Endpoint {
    const { port } = this.#server.address() as AddressInfo;
    const base = boardEndpoint(slug, `http://127.0.0.1:${port}/${tokenizer}/${contextLength}`, {
      contextLength,
      maxCompletionTokens: 1_000_000,
    });
    return { ...base, tokenizer: declared };
  }

  #answer(sent: Sent, count: typeof cl100k, window: number): { readonly status: number; readonly body: object } {
    this.sent.push(sent);
    const tokens = sent.messages.reduce((sum, { content }) => sum + count(content), TEMPLATE_TOKENS);
    if (tokens + sent.max_tokens > window) {
      const message = `This model's maximum context length is ${window} tokens. However, you requested ${tokens + sent.max_tokens} tokens (${tokens} in the messages, ${sent.max_tokens} in the completion).`;
      return { status: 400, body: { object: 'error', message, code: 400 } };
    }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }];
    return { status: 200, body: { id: 'up', choices, usage: { prompt_tokens: tokens, completion_tokens: 1 } } };
  }
}

const provider = new CountingProvider();
await provider.open();
test.after(() => provider.close());

/** A text of exactly this many tokens, or a few less. */
function textOf(kind: string, tokens: number, tokenizer: Tokenizer): string {
  const source = longSources().find((each) => each.kind === kind);
  if (!source) throw new Error(`no text of ${kind}`);
  let text = longText(source, tokens * 8, new Dice(tokens));
  for (let count = COUNT[tokenizer](text); count > tokens; count = COUNT[tokenizer](text)) {
    text = text.slice(0, Math.floor((text.length * tokens) / count));
  }
  return text;
}

function start(on: Stage, content: string, ceiling: number | null) {
  return startTurn(on.services, {
    dialect: chatDialect,
    body: {
      model: 'sim/fast',
      messages: [{ role: 'user', content }],
      ...(ceiling === null ? {} : { max_tokens: ceiling }),
    },
    session: null,
    generation: `gen-${ceiling}-${content.length}`,
    bytes: content.length,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: performance.now(),
  });
}

const WINDOW = 32_768;
const CASES: readonly (readonly [kind: string, tokens: number, window: number, asked: number | null])[] = [
  ['english', 28_601, WINDOW, null],
  ['english', 28_601, WINDOW, 100],
  ['russian', 16_001, WINDOW, 4_000],
  ['russian', 31_500, WINDOW, null],
  ['english', 24_201, WINDOW, 500],
  ['latex', 6_600, 8_192, null],
  ['json', 7_900, 8_192, 4_000],
  ['thai', 4_000, 8_192, null],
];
for (const tokenizer of ['cl100k_base', 'o200k_base'] as const) {
  for (const [kind, tokens, window, asked] of CASES) {
    it(`${tokens} tokens of ${kind} are served in a window of ${window}, asking for ${asked ?? 'no ceiling'} (${tokenizer})`, async () => {
      const on = stage({ endpoints: board(provider.endpoint('a', tokenizer, window)) });
      const running = await start(on, textOf(kind, tokens, tokenizer), asked);
      await endTurn(on.services, running);
      const ceiling = provider.sent.at(-1)?.max_tokens ?? 0;
      if (asked !== null && tokens + asked < window * 0.97) assert.is(ceiling, asked);
      else assert.ok(ceiling >= (window - tokens) / 4, `a ceiling of ${ceiling}`);
      const settled = settlementOf(on);
      assert.ok(Math.abs((settled?.promptTokens as number) - tokens) < tokens / 20);
      const hold = Number(on.asks[0]?.event.request?.amount);
      const prompt = (settled?.promptTokens as number) / 1e6;
      assert.ok(hold - (ceiling * 2) / 1e6 >= prompt, 'the hold covers the charge');
      assert.ok(hold - (ceiling * 2) / 1e6 <= prompt * 1.5, `its prompt part is ${hold} for ${prompt}`);
      await on.end();
    });
  }
}

it('a prompt that fits no window is refused before any provider is asked (rule I118)', async () => {
  const on = stage({ endpoints: board(provider.endpoint('a', 'cl100k_base', 8_192)) });
  const before = provider.sent.length;
  const error = await failed(start(on, textOf('english', 8_200, 'cl100k_base'), 10));
  assert.equal([error.status, error.type], [400, 'context_length_exceeded']);
  assert.match(error.message, /about 8[12]\d\d tokens, at most 8192 are accepted/);
  assert.is(provider.sent.length, before);
  assert.equal(on.asks, []);
  await on.end();
});

it('a ceiling that was not asked for leaves room for an unknown tokenizer that counts more than ours', async () => {
  const text = textOf('latex', 6_600, 'cl100k_base');
  const counted = o200k(text);
  const on = stage({ endpoints: board(provider.endpoint('a', 'cl100k_base', 8_192, 'Llama3')) });
  for (const asked of [null, 100]) {
    await endTurn(on.services, await start(on, text, asked));
    const ceiling = provider.sent.at(-1)?.max_tokens ?? 0;
    if (asked === null) assert.ok(counted * 1.1 + ceiling <= 8_192 && ceiling > 400, `a ceiling of ${ceiling}`);
    else assert.is(ceiling, asked);
  }
  await on.end();
});

it('a provider that counts more than its endpoint declares is passed over for a longer window, else its sizes are told', async () => {
  const text = textOf('georgian', 7_000, 'o200k_base');
  const short = provider.endpoint('a', 'cl100k_base', 8_192, 'o200k_base');
  const error = await failed(start(stage({ endpoints: board(short) }), text, 500));
  assert.equal([error.status, error.type], [400, 'context_length_exceeded']);
  assert.is(error.headers['x-should-retry'], 'false');
  assert.match(error.message, /: \d+ tokens of prompt, 500 of completion, at most 8192 are accepted/);
  const [first] = error.metadata.previous_errors as { readonly context_length: number }[];
  assert.is(first?.context_length, 8_192);
  const long = { ...provider.endpoint('b', 'o200k_base', 128_000), id: 'ep_long' };
  const on = stage({ endpoints: board(short, long) });
  const running = await start(on, text, 500);
  assert.is((await running.receipt).candidate.endpoint.provider.slug, 'b');
  await endTurn(on.services, running);
  await on.end();
  assert.is(
    on.tells.some(({ event }) => JSON.stringify(event).includes('"error"')),
    false,
    'not a fault of the endpoint',
  );
});

test.run();
