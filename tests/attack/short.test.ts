import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { startUnwatched } from '../support/cluster/start-cluster.ts';
import { ATTACKS } from './attacks.ts';
import { hostileDeclaration, startHostileProvider } from './hostile-provider.ts';
import { MORE_ATTACKS } from './more-attacks.ts';

/** The short form of `npm run attack`: every attack once, a few at a time, in one process. It measures no time. */
const it = bounded(test, 240_000);
const STRENGTH = 0.05;
const TENANT_REQUESTS = 3;
const MESSAGES = [{ role: 'user', content: 'hello' }];

let cluster: Awaited<ReturnType<typeof startUnwatched>>;
let provider: Awaited<ReturnType<typeof startHostileProvider>>;
let attacker: string;
let tenant: string;
test.before(async () => {
  provider = await startHostileProvider();
  const providers = [hostileDeclaration(provider.baseUrl)];
  cluster = await startUnwatched({ rates: UNLIMITED, simulators: ['sim-a', 'sim-v'], providers });
  attacker = (await cluster.fund('100000')).key;
  tenant = (await cluster.fund('100')).key;
});
test.after(async () => {
  await cluster.close();
  await provider.close();
});

function post(path: string, key: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${cluster.baseUrls[0]}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function ask(): Promise<number> {
  const answer = await post('chat/completions', tenant, { model: 'sim/fast', messages: MESSAGES });
  await answer.text();
  return answer.status;
}

for (const attack of [...ATTACKS, ...MORE_ATTACKS]) {
  it(`another tenant is served during the attack, which holds: ${attack.name}`, async () => {
    const [node] = cluster.nodes;
    assert.ok(node);
    const statuses: number[] = [];
    const found = attack.run({
      baseUrl: cluster.baseUrls[0] as string,
      operatorUrl: node.operatorUrl,
      grpc: [node.grpcAddress],
      key: attacker,
      goesOn: () => statuses.length < TENANT_REQUESTS,
      strength: STRENGTH,
    });
    while (statuses.length < TENANT_REQUESTS) statuses.push(await ask());
    assert.is(await found, null);
    assert.equal(statuses, Array(TENANT_REQUESTS).fill(200));
  });
}

it('a picture of 15 MB arrives as its provider sent it, in every dialect', async () => {
  const model = 'evil/replies';
  const replies = [
    post('chat/completions', attacker, { model, messages: MESSAGES }),
    post('messages', attacker, { model, messages: MESSAGES, max_tokens: 16 }),
    post('responses', attacker, { model, input: 'hello' }),
  ].map(async (reply) => (await (await reply).json()) as Replies);
  const [chat, messages, responses] = (await Promise.all(replies)) as [Replies, Replies, Replies];
  const base64 = (url: string | undefined): string => (url ?? '').slice('data:image/png;base64,'.length);
  const [whole] = chat.choices ?? [];
  const pictures = [
    base64(whole?.message.images[0]?.image_url.url),
    messages.content?.find(({ type }) => type === 'image')?.source?.data ?? '',
    base64(responses.output?.flatMap(({ content }) => content ?? []).find(({ image_url }) => image_url)?.image_url),
  ];
  for (const picture of pictures) assert.ok(picture === 'A'.repeat(15 * 1024 * 1024), `${picture.length} characters`);
});

/** The members of each dialect that hold the picture. */
interface Replies {
  readonly choices?: readonly {
    readonly message: { readonly images: readonly { readonly image_url: { readonly url: string } }[] };
  }[];
  readonly content?: readonly { readonly type: string; readonly source?: { readonly data: string } }[];
  readonly output?: readonly { readonly content?: readonly { readonly image_url?: string }[] }[];
}

test.run();
