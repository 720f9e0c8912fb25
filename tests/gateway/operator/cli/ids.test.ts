import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { webhookEventId } from '../../../../actors/terms/ids.ts';
import { announceWebhook, mintSigningSecret } from '../../../../actors/terms/webhook.ts';
import { readToken } from '../../../../gateway/operator/config/secrets.ts';
import { type Batch, chat, clientOf, linesOf, submission } from '../../../api/batches/client.ts';
import { bounded } from '../../../support/bounded.ts';
import { operatorOptions } from '../../../support/cluster/operator-options.ts';
import { type Funded, startCluster, type TestCluster } from '../../../support/cluster/start-cluster.ts';
import { failureOf, told, toldJson } from './in-process.ts';

/** What an operator is told by customers is an id alone; every command takes it, and finds its account. */
const it = bounded(test, 60_000);

let cluster: TestCluster;
let at: readonly string[];
let [one, two]: readonly Funded[] = [];

test.before(async () => {
  cluster = await startCluster({
    ...{ simulators: ['sim-a', 'sim-v'], nodes: 2 },
    // The end of the tests waits for lines and renders that they left behind.
    ...{ activities: { graceMs: 1_000 }, renders: { drainMs: 1_000 } },
  });
  at = await operatorOptions(cluster);
  [one, two] = [await cluster.fund('10'), await cluster.fund('10')];
});
test.after(() => cluster.close());

const idOf = (funded: Funded): string => funded.account.replace('account:', '');
const slow = chat({ ttft_ms: 600_000 });
const why = (id: string): Promise<string> => told(['why', id, ...at]);

async function post<T>(funded: Funded, path: string, body: object | FormData): Promise<{ id: string } & T> {
  const json = body instanceof FormData ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${cluster.baseUrls[0]}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${funded.key}`, ...json },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string } & T;
}

it('why, inspect and reload take the id of a batch, a video, a file, a webhook, a key, an endpoint or an account', async () => {
  const [node] = cluster.nodes as [TestCluster['nodes'][number]];
  const account = idOf(one as Funded);
  const batch = await clientOf(cluster, (one as Funded).key).submit(submission([slow]));
  const film = { model: 'sim/flipbook', prompt: 'a lake @sim {"render_ms":600000}', duration: 2 };
  const video = await post(one as Funded, '/videos', film);
  const form = new FormData();
  form.append('file', new Blob(['mine']), 'mine.txt');
  const file = await post(one as Funded, '/files', form);
  const delivery = { url: 'https://hooks.invalid/x', document: '{"id":"vjob_1"}', retentionMs: 60_000 };
  const type = 'video.generation.completed';
  const about = { account, job: 'vjob_1', type, at: node.cluster.now() } as const;
  for (const effect of [mintSigningSecret(account), announceWebhook({ ...about, ...delivery })]) {
    if (effect.type === 'send') node.cluster.tell(effect.to, effect.event);
  }
  const event = webhookEventId('vjob_1', type);
  while ((await toldJson<object[]>(['webhooks', 'list', account, ...at])).length === 0);
  const [endpoint] = await toldJson<{ address: string }[]>(['endpoints', 'list', '--model', 'sim/fast', ...at]);
  const rows: Readonly<Record<string, string>> = {
    [account]: `account:${account}`,
    [batch.id]: `batch:${account}/${batch.id}`,
    [video.id]: `video-job:${account}/${video.id}`,
    [file.id]: `file:${account}/${file.id}`,
    [event]: `webhook:${account}/${event}`,
    [(one as Funded).keyAddress.split('/')[1] as string]: (one as Funded).keyAddress,
    [endpoint?.address.replace('endpoint:', '') as string]: endpoint?.address as string,
  };
  for (const [id, address] of Object.entries(rows)) {
    assert.is((await toldJson<{ address: string }>(['inspect', id, ...at])).address, address);
    assert.is((await toldJson<{ address: string }>(['why', id, ...at])).address, address);
    assert.is(await told(['reload', id, '--reason', 'a test', ...at]), `${address} is not quarantined\n`);
    assert.match(
      await failureOf(['skip', id, 'none', '--reason', 'a test', ...at]),
      `troupe: ${address} has no dead letter none; `,
    );
  }
  assert.match(await why(batch.id), /^Line 0 has a slot and runs: attempt 1\./);
});

it('why tells of a generation whether it runs, what it was charged, or why it was not', async () => {
  const { key, account, keyAddress } = two as Funded;
  const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const { usage } = (await answer.json()) as { usage: { cost: number } };
  const id = answer.headers.get('x-generation-id') as string;
  const [first = '', last] = (await why(id)).trimEnd().split('\n');
  assert.match(first, new RegExp(`^sim/fast at Sim A was charged ${usage.cost} USD at \\d{4}-.*Z\\.$`));
  assert.is(last, `It belongs to ${account}, requested with ${keyAddress}.`);
  assert.is((await toldJson<{ address: string }>(['inspect', id, ...at])).address, account);
  const aborted = new AbortController();
  const running = fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...slow, stream: true }),
    signal: aborted.signal,
  }).catch(() => null);
  const open = async () => {
    const all = await toldJson<{ id: string; status: string }[]>(['accounts', 'generations', account, ...at]);
    return all.find(({ status }) => status === 'running')?.id;
  };
  let held = await open();
  while (held === undefined) held = await open();
  assert.match(await why(held), /^sim\/fast at Sim A has run since \S+; [\d.]+ USD are held by t1 \([0-9a-f]+\)\.\n/);
  aborted.abort();
  await running;
  let told1 = await why(held);
  while (/has run since/.test(told1)) told1 = await why(held);
  assert.match(told1, /^sim\/fast at Sim A (ended at \S+Z without a charge: \S.*\.|was charged )/);
});

it('why tells of a deposit when it was credited, why, and the balance after it', async () => {
  const account = idOf(await cluster.fund('10'));
  const paid = ['accounts', 'deposit', account, '2.5', '--reason', 'invoice 7', ...at];
  const { id } = await toldJson<{ id: string }>(paid);
  assert.match(id, /^dep_/);
  assert.match(
    await why(id),
    new RegExp(
      `^2\\.5 USD were credited to account:${account} at \\S+Z by an operator: invoice 7\\.\n` +
        'It is entry 2 of the ledger; the balance was 12\\.5 USD after it\\.\n$',
    ),
  );
  assert.is((await toldJson<{ address: string }>(['inspect', id, ...at])).address, `account:${account}`);
  assert.match(
    await told(['export', 'ledger', account, ...at]),
    new RegExp(`^entry,at,.*\r\n1,.*\r\n2,.*,2\\.5,12\\.5,,${id}\r\n$`),
  );
  assert.match(await told(['export', 'usage', account, ...at]), /^day,account,key,model,.*\r\n$/);
  assert.match(
    await told(['statements', account, ...at]),
    /,opening,,0,,\r\n1,.*\r\n2,.*\r\n,\S+,closing,,12\.5,,\r\n$/,
  );
});

interface Rendering {
  readonly context: { readonly remote: object | null };
}

interface Running {
  readonly id: string;
  readonly phase: string;
  readonly node: string;
}

it('a line and a render are stopped at a node that runs neither: what was delivered is charged, and the reason is told (rule E52)', async () => {
  const funded = await cluster.fund('10');
  const account = idOf(funded);
  const client = clientOf(cluster, funded.key);
  const batch = await client.submit(submission([slow]));
  const prompt = 'a lake @sim {"render_ms":600000,"cancelled_seconds":1}';
  const video = await post(funded, '/videos', { model: 'sim/filmstrip', prompt, duration: 2, resolution: '480p' });
  const stop = async (kind: 'line' | 'render'): Promise<string> => {
    const { id, node } = await called(account, kind);
    const other = cluster.nodes.find(({ name }) => name !== node);
    const answer = await fetch(`${other?.operatorUrl}/api/inflight/${id}/stop`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await readToken(cluster.folder, 'operator')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ reason: `the ${kind} went astray` }),
    });
    assert.is(answer.status, 200, await answer.text());
    return id;
  };
  const line = await stop('line');
  // Once the provider has the job it reports what it rendered.
  while ((await toldJson<Rendering>(['inspect', video.id, ...at])).context.remote === null);
  const render = await stop('render');
  const [result] = linesOf(await client.end(batch.id));
  assert.match(String(result?.error?.message), /stopped the request: the line went astray/);
  while (((await client.json(client.send(`/videos/${video.id}`))) as Batch).status !== 'cancelled');
  const charges = await toldJson<{ id: string; status: string; cost: string | null }[]>([
    ...['accounts', 'generations', account, ...at],
  ]);
  const ended = (wanted: string) => charges.find(({ id }) => id === wanted);
  // Nothing of the line was delivered; the provider reports a second of the clip.
  assert.equal([ended(line)?.status, ended(line)?.cost], ['failed', '0']);
  const cost = ended(render)?.cost;
  assert.ok(Number(cost) > 0, JSON.stringify(ended(render)));
  const { held, charges: charged } = await toldJson<{ held: string; charges: string }>([
    ...['accounts', 'show', account, ...at],
  ]);
  assert.equal([held, charged], ['0', cost]);
  const log = await told(['audit', ...at]);
  for (const [id, kind] of [
    [line, 'line'],
    [render, 'render'],
  ]) {
    assert.match(log, new RegExp(`inflight\\.stop +.*${id}.*the ${kind} went astray`));
  }
  assert.match(await told(['audit', account, ...at]), /video\.cancel .*the render went astray/);
});

/** The account's work of this kind, once its provider is called. */
async function called(account: string, kind: string): Promise<Running> {
  for (;;) {
    const { data } = await toldJson<{ data: readonly Running[] }>([
      'inflight',
      '--account',
      account,
      '--kind',
      kind,
      ...at,
    ]);
    const [found] = data;
    if (found !== undefined && (kind === 'render' || found.phase !== 'admitted')) return found;
  }
}

it('a command for a key takes the id of the key alone', async () => {
  // A key of its own: nodes learn its new workspace within two seconds, and its requests are refused until then.
  const { keyAddress } = await cluster.issue((two as Funded).account);
  const id = keyAddress.split('/')[1] as string;
  assert.match(await told(['keys', 'show', id, ...at]), new RegExp(`^key +${keyAddress.replace('key:', '')}$`, 'm'));
  assert.match(await told(['keys', 'rename', id, 'Laptop', '--reason', 'a test', ...at]), /name +Laptop\n/);
  assert.match(await told(['keys', 'limit', id, '2', '--reason', 'a test', ...at]), / 2 +0\.?\d* /);
  assert.match(await told(['keys', 'disable', id, '--reason', 'a test', ...at]), /status +disabled/);
  assert.match(await told(['keys', 'enable', id, '--reason', 'a test', ...at]), /status +active/);
  const made = await toldJson<{ id: string }>(['workspaces', 'create', idOf(two as Funded), 'Team', ...at]);
  assert.match(
    await told(['workspaces', 'show', made.id, ...at]),
    new RegExp(`^workspace +${idOf(two as Funded)}/${made.id}$`, 'm'),
  );
  assert.match(
    await told(['keys', 'move', id, made.id, '--reason', 'a test', ...at]),
    new RegExp(`^workspace +${made.id}$`, 'm'),
  );
});

it('an id that nothing has, and a text that is no id, are errors in plain words', async () => {
  const rows: Readonly<Record<string, string>> = {
    [`batch_${'0'.repeat(32)}`]: '; `troupe batch list --all` shows the batches',
    [`vjob_${'0'.repeat(32)}`]: '; `troupe video list --all` shows the videos',
    [`evt_${'0'.repeat(32)}`]: '; `troupe webhooks list ACCOUNT` shows the webhooks',
    [`file_${'0'.repeat(32)}`]: '; a file that has expired or was deleted is gone',
    [`dep_${'0'.repeat(20)}`]: '; `troupe deposits list ACCOUNT` shows the deposits',
    key_00000000000000000000: '; `troupe keys list ACCOUNT` shows the keys',
    'gen-0000000000-00000000000000000000': '; `troupe accounts recent ACCOUNT` shows those of an account',
  };
  for (const [id, remedy] of Object.entries(rows)) {
    for (const command of ['why', 'inspect']) {
      const failed = await failureOf([command, id, ...at]);
      assert.ok(failed.startsWith('troupe: there is no ') && failed.endsWith(`${id}${remedy}\n`), failed);
    }
  }
  assert.match(await failureOf(['why', 'nonsense', ...at]), /^troupe: "nonsense" is not an address or an id; write /);
  assert.match(await failureOf(['batch', 'show', 'batch_1', ...at]), /^troupe: there is no batch batch_1; /);
});

it('batches of every account are listed in pages, shown and cancelled without a key of a customer', async () => {
  const made: Batch[] = [];
  for (const funded of [one, two, one]) {
    made.push(await clientOf(cluster, (funded as Funded).key).submit(submission([slow])));
  }
  type Page = { data: { id: string; account: string; status: string }[]; next: string | null };
  const page = await toldJson<Page>(['batch', 'list', '--all', '--limit', '2', ...at]);
  assert.equal(
    page.data.map(({ id, account }) => [id, account]),
    [
      [made[2]?.id, one?.account],
      [made[1]?.id, two?.account],
    ],
  );
  assert.type(page.next, 'string');
  const text = await told(['batch', 'list', '--all', '--limit', '2', ...at]);
  const more = /\nmore: troupe (batch list --all --after \S+)\n$/.exec(text)?.[1]?.split(' ') as string[];
  const rest = await toldJson<Page>([...more, '--limit', '1', ...at]);
  assert.is(rest.data[0]?.id, made[0]?.id);
  const id = made[1]?.id as string;
  assert.match(await told(['batch', 'show', id, ...at]), new RegExp(`^account +${idOf(two as Funded)}$`, 'm'));
  await told(['batch', 'cancel', id, '--reason', 'a test', ...at]);
  while (!/status +cancelled/.test(await told(['batch', 'show', id, ...at])));
  const ended = await toldJson<Page>(['batch', 'list', '--all', '--status', 'cancelled', '--status', 'failed', ...at]);
  assert.equal(
    ended.data.map((batch) => [batch.id, batch.status]),
    [[id, 'cancelled']],
  );
  assert.match(
    await failureOf(['batch', 'list', '--all', '--status', 'done', ...at]),
    /^troupe: status done is none; write /,
  );
  assert.match(await failureOf(['batch', 'list', '--all', '--key', 'x', ...at]), /leave out --key and --url/);
  assert.match(
    await failureOf(['batch', 'list', '--all', '--after', 'x', ...at]),
    /^troupe: cursor is not the cursor of a page/,
  );
});

it('videos of every account are listed, shown and cancelled without a key of a customer', async () => {
  const film = { model: 'sim/flipbook', prompt: 'a lake @sim {"render_ms":600000}', duration: 2 };
  const [first, second] = [await post(one as Funded, '/videos', film), await post(two as Funded, '/videos', film)];
  type Page = { data: { id: string; account: string; model: string }[]; next: string | null };
  const page = await toldJson<Page>(['video', 'list', '--all', '--limit', '1', ...at]);
  assert.equal(
    page.data.map(({ id, account, model }) => [id, account, model]),
    [[second.id, two?.account, 'sim/flipbook']],
  );
  const rest = await toldJson<Page>(['video', 'list', '--all', '--after', String(page.next), '--limit', '1', ...at]);
  assert.is(rest.data[0]?.id, first.id);
  assert.match(await told(['video', 'show', second.id, ...at]), new RegExp(`^account +${idOf(two as Funded)}$`, 'm'));
  await told(['video', 'cancel', second.id, '--reason', 'a test', ...at]);
  const cancelled = () => told(['video', 'list', '--all', '--status', 'cancelled', ...at]);
  while (!(await cancelled()).includes(second.id));
  assert.not.match(await cancelled(), first.id);
});

it("an operator's cancel of a batch or a video is an entry of the account's audit log, and its own is none (rule K19)", async () => {
  const funded = await cluster.fund('10');
  const account = idOf(funded);
  const client = clientOf(cluster, funded.key);
  const batches = [await client.submit(submission([slow])), await client.submit(submission([slow]))];
  const film = { model: 'sim/flipbook', prompt: 'a lake @sim {"render_ms":600000}', duration: 2 };
  const video = await post(funded, '/videos', film);
  await post(funded, `/batches/${batches[0]?.id}/cancel`, {});
  const wanted = [
    ['batch.cancel', `batch:${account}/${batches[1]?.id}`, 'operator'],
    ['video.cancel', `video-job:${account}/${video.id}`, 'operator'],
  ];
  await told(['batch', 'cancel', batches[1]?.id as string, '--reason', 'a test', ...at]);
  await told(['video', 'cancel', video.id, '--reason', 'a test', ...at]);
  // A repeat changes nothing and is recorded no second time.
  await told(['batch', 'cancel', batches[1]?.id as string, '--reason', 'a test', ...at]);
  const entries = async () => {
    type Entry = { action: string; target: string; principal: string };
    const log = await toldJson<Entry[]>(['audit', account, ...at]);
    return log
      .filter(({ action }) => action.endsWith('.cancel'))
      .map((one) => [one.action, one.target, one.principal.split(' ')[0]]);
  };
  // The log may live on another node than the job.
  while ((await entries()).length < wanted.length);
  assert.equal((await entries()).sort(), wanted);
});

test.run();
