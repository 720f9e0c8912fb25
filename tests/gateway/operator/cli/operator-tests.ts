/** What an operator does at a running cluster: the tests of `up.test.ts` that share its three nodes. */
import * as assert from 'uvu/assert';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { eventually } from '../../../support/eventually.ts';
import { troupe } from './command.ts';
import { failureOf, told, toldJson } from './in-process.ts';

export interface Chat {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly cost: number };
}

export async function chatAt(
  baseUrl: string | null,
  key: string,
  model = 'sim/fast',
  more: object = {},
): Promise<Chat> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }], ...more }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Chat;
}

export interface RunningCluster {
  /** The options that name it. */
  readonly at: readonly string[];
  readonly connection: () => ConnectionInfo;
}

/** Between two looks at a cluster that is about to change: looking without a pause slows it down. */
export const pause = (ms = 100): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export type It = (title: string, run: () => Promise<void>) => void;

export function operatorTests(it: It, { at, connection }: RunningCluster): void {
  const chat = (key: string, model?: string, more?: object): Promise<Chat> =>
    chatAt(connection().base_url, key, model, more);

  it('three commands lead from a name to the account, to its last refusal with the reason, and to a refund', async () => {
    const { id } = await toldJson<{ id: string }>(['accounts', 'create', 'Katherine Johnson', ...at]);
    await told(['accounts', 'deposit', id, '5', ...at]);
    const { secret } = await toldJson<{ secret: string }>(['keys', 'create', id, ...at]);
    const { usage } = await chat(secret);
    await chat(secret, 'sim/nothing').catch(() => null);

    const found = await told(['accounts', 'list', '--name', 'katherine', ...at]);
    const account = /^(acct_\w+) +Katherine Johnson /m.exec(found)?.[1] ?? '';
    const show = () => told(['accounts', 'recent', account, ...at]);
    let recent = await show();
    // Nodes write down what they refused within seconds.
    while (!recent.includes('refused 404')) {
      await pause();
      recent = await show();
    }
    const [, refused = '', charged = ''] = recent.trimEnd().split('\n');
    assert.match(refused, /refused 404 +POST \/api\/v1\/chat\/completions +- +gen-\S+ +.*sim\/nothing/);
    const [, cost, generation = ''] = /completed +sim\/fast +([\d.]+) +(gen-\S+)/.exec(charged) ?? [];
    assert.is(Number(cost), usage.cost);
    const refund = await told(['accounts', 'refund', generation, '--reason', 'asked for', ...at]);
    assert.match(refund, new RegExp(`^account +${id}\n[\\s\\S]*balance +5 USD\n$`));
    assert.match(
      await told(['accounts', 'recent', id, '--limit', '1', ...at]),
      /^AT [^\n]*\n[^\n]*refused 404[^\n]*\n$/,
    );
  });

  it('providers and endpoints are paused and resumed; a pause is effective on every node at once', async () => {
    const { api_key } = connection();
    const only = (): Promise<readonly string[]> =>
      Promise.all(
        // The launcher hands connections to the nodes in turn.
        [1, 2, 3].map(() =>
          chat(String(api_key), 'sim/fast', { provider: { only: ['sim-a'] } }).then(
            () => 'served',
            ({ message }: Error) => message,
          ),
        ),
      );
    const endpoints = await toldJson<readonly { address: string }[]>([
      ...['endpoints', 'list', '--model', 'sim/fast', '--provider', 'sim-a', ...at],
    ]);
    const endpoint = endpoints[0]?.address.replace('endpoint:', '') ?? '';
    for (const [group, name] of [
      ['providers', 'sim-a'],
      ['endpoints', endpoint],
    ] as const) {
      assert.match(
        await told([group, 'pause', name, '--reason', 'too slow', ...at]),
        /^(provider|endpoint):\S+ is paused since \S+: too slow\n$/,
      );
      // A commit and its way over the board; the cluster test holds the bound of two seconds in virtual time.
      let answers = await only();
      while (answers.includes('served')) {
        await pause();
        answers = await only();
      }
      for (const one of answers) assert.match(one, /^503 .*paused by the operator/);
      // The launcher passes over a node that gets no processor time, and the commands may ask that one.
      await eventually(async () => {
        assert.match(await told(['ps', ...at]), new RegExp(`^${group.slice(0, -1)} +\\w+ \\(paused\\) `, 'm'));
        assert.match(
          await told(['endpoints', 'list', '--model', 'sim/fast', '--provider', 'sim-a', ...at]),
          / paused .*too slow/,
        );
        assert.match(await told(['why', `endpoint:${endpoint}`, ...at]), /^An operator paused .*\(too slow\).*resume/m);
      });
      assert.match(await told([group, 'resume', name, '--reason', 'over', ...at]), /is not paused\n$/);
      assert.match(await told([group, 'resume', name, '--reason', 'over', ...at]), /is not paused \(as before\)\n$/);
      while ((await only()).some((one) => one !== 'served')) await pause();
    }
    assert.match(await told(['audit', ...at]), /endpoint\.resume .*\n.*endpoint\.pause .*too slow/);
  });

  it('providers, endpoints and models are listed and explained', async () => {
    assert.match(await told(['providers', 'list', ...at]), /\nsim-a +Sim A +declared +\d+ of \d+ serve/);
    const endpoints = await told(['endpoints', 'list', '--model', 'sim/fast', '--provider', 'sim-a', ...at]);
    assert.match(endpoints, /\nsim\/fast +sim-a +\w+ +(-|[\d.]+ %)( +(-|[\d.]+ \/?s)){3} +endpoint:ep_\w+ +\S/);
    assert.match(await told(['why', 'sim/fast', ...at]), /^endpoint:ep_\w+: \w+ at sim-a\n {2}/m);
    const none = await told(['why', 'sim/none', ...at]).catch((error: Error) => error.message);
    assert.match(none, /^no endpoint serves sim\/none; /);
  });

  it('actors and events are listed in pages, and a link to the console has the token of its role', async () => {
    const listed = await told(['actors', '--kind', 'account', '--account', 'acct_demo', ...at]);
    assert.match(listed, /^ACTOR .*\naccount:acct_demo +Demo +open +\S+Z +\d+ s +n\d\n$/);
    assert.match(await told(['events', ...at]), /^AT +EVENT .*\n(.*\n)*\S+Z +joined +n\d \([0-9a-f]+\)/);
    assert.match(await told(['events', '--limit', '1', ...at]), /\nmore: --cursor \S+\n$/);
    assert.match(
      await told(['console', '--viewer', ...at]),
      /^http:\/\/127\.0\.0\.1:\d+\/console\/#token=[0-9a-f]{64}\n$/,
    );
    assert.is.not(await told(['console', '--viewer', ...at]), await told(['console', ...at]));
  });

  it('an unknown account or provider is an error in plain words', async () => {
    const { code, err } = await troupe(['keys', 'list', 'acct_nope', ...at]).ended;
    assert.equal(
      [code, err],
      [1, 'troupe: there is no account acct_nope; `troupe accounts list` shows the accounts\n'],
    );
    const failure = (...args: readonly string[]): Promise<string> =>
      told([...args, ...at]).catch((error: Error) => error.message);
    for (const list of [
      'workspaces list',
      'webhooks list',
      'audit',
      'deposits list',
      'accounts recent',
      'statements',
    ]) {
      assert.match(await failure(...list.split(' '), 'acct_nope'), /^there is no account acct_nope; /);
    }
    const { key } = await toldJson<{ key: string }>(['keys', 'create', 'acct_demo', ...at]);
    const short = key.replace('key:', '');
    await told(['keys', 'revoke', short, '--reason', 'a test', ...at]);
    assert.is(
      await failure('keys', 'enable', short, '--reason', 'x'),
      `${short} is revoked for good; \`troupe keys create\` makes another key`,
    );
    const rows: readonly (readonly [readonly string[], string])[] = [
      [
        ['keys', 'show', 'acct_demo/key_nope'],
        'there is no key acct_demo/key_nope; `troupe keys list acct_demo` shows the keys',
      ],
      [['keys', 'create', 'acct_nope'], 'there is no account acct_nope; `troupe accounts list` shows the accounts'],
      [
        ['why', 'batch:acct_demo/batch_nope'],
        'there is no batch acct_demo/batch_nope; `troupe batch list --all` shows the batches',
      ],
      [
        ['endpoints', 'list', '--model', 'nope'],
        'there is no endpoint of model nope; `troupe endpoints list` shows all',
      ],
      [
        ['endpoints', 'pause', 'ep_nope', '--reason', 'x'],
        'there is no endpoint ep_nope; `troupe endpoints list` shows the endpoints',
      ],
      [
        ['providers', 'resume', 'nope', '--reason', 'x'],
        'there is no provider nope; `troupe providers list` shows the providers',
      ],
      [
        ['generation', 'gen-nope'],
        'there is no generation gen-nope; `troupe accounts recent ACCOUNT` shows those of an account',
      ],
      [
        ['workspaces', 'delete', 'acct_demo/ws_00000000000000000000', '--reason', 'x'],
        'there is no workspace acct_demo/ws_00000000000000000000; `troupe workspaces list acct_demo` shows the workspaces',
      ],
    ];
    for (const [args, message] of rows) assert.is(await failure(...args), message);
    const { id } = await toldJson<{ id: string }>(['accounts', 'create', 'Without keys', ...at]);
    assert.equal(await toldJson(['keys', 'list', id, ...at]), []);
    const refusals = await failureOf(['refusals', 'list', 'nope', ...at]);
    assert.is(refusals.split(';')[0], 'troupe: there is no provider nope');
  });
}
