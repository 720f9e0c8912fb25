import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Session, withSession } from '../../../../../gateway/operator/cli/frame/session.ts';
import { ConfigError } from '../../../../../gateway/operator/config/config-error.ts';
import { GrpcNodes } from '../../../../cluster/grpc-nodes.ts';
import { bounded } from '../../../../support/bounded.ts';
import { TOKEN } from '../../../../support/cluster/bare-node.ts';

const it = bounded(test);

it('a command says that the store is out of reach, not that no node answers (rule N38)', async () => {
  const data = await mkdtemp(join(tmpdir(), 'session-'));
  const nodes = new GrpcNodes();
  const { node, store } = await nodes.start('n1');
  const entry = { name: 'n1', pid: 1, grpc: node.self.address, operator_url: 'http://127.0.0.1:9' };
  await writeFile(join(data, 'connection.json'), JSON.stringify({ operator_token: TOKEN, nodes: [entry] }), {
    mode: 0o600,
  });
  const said = (run: (session: Session) => Promise<unknown>): Promise<string> =>
    withSession({ data }, run).then(
      (value) => JSON.stringify(value),
      (error: unknown) => {
        assert.instance(error, ConfigError);
        return (error as ConfigError).message;
      },
    );
  try {
    await nodes.until(() => node.ready, 'the node is ready');
    const rows = ({ operator }: Session) => operator.rows({ collection: 'tally', limit: 1 });
    const absent = ({ cluster }: Session) => cluster.ask('tally:none', { type: 'tally.read' }, { withinMs: 500 });
    assert.is(await said(rows), '[]');
    assert.match(await said(absent), /tally:none/);
    store.cut = true;
    const outage = /^The nodes run, and the store is out of reach since 20.*Z: /;
    assert.match(await said(rows), outage);
    assert.match(await said(({ operator }) => operator.actors({ order: 'address', kind: 'tally', limit: 1 })), outage);
    assert.match(await said(absent), outage);
    assert.match(await said(({ operator }) => operator.inspect('tally:other')), outage);
    store.cut = false;
    assert.is(await said(rows), '[]');
  } finally {
    store.cut = false;
    await nodes.close();
    await rm(data, { recursive: true });
  }
});

test.run();
