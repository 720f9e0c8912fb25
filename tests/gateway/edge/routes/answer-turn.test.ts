import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { readHead } from '../../../../gateway/edge/head.ts';
import type { EdgeRoutes } from '../../../../gateway/edge/http/edge-routes.ts';
import { readPresented } from '../../../../gateway/edge/presented.ts';
import { answerTurn } from '../../../../gateway/edge/routes/answer-turn.ts';
import { beginVisit } from '../../../../gateway/edge/visit.ts';
import { CallerLeft } from '../../../../gateway/terms/caller-left.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

for (const [what, length] of [
  ['all of which is there', 2],
  ['for which room would be kept', 100_000],
] as const) {
  it(`a caller that left before its body was looked at, ${what}, gets no turn`, async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n{}`);
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    client.destroy();
    // As while its key is looked up.
    await once(response, 'close');
    const head = readHead(request);
    beginVisit(request, { id: 'gen-1', head, presented: readPresented(head), startedAt: 0, invite: null });
    const refused: unknown[] = [];
    const reserved: number[] = [];
    const routes = {
      services: { limits: config.edge, clock: systemClock },
      bodies: { take: (bytes: number) => reserved.push(bytes) > 0 },
      gate: { refuse: async (thrown: unknown) => void refused.push(thrown) },
    } as unknown as EdgeRoutes;
    const parse = (): never => {
      throw new Error('it would run');
    };
    await answerTurn(routes, parse, request, response);
    assert.is(refused.length, 1);
    assert.instance(refused[0], CallerLeft);
    // It would be kept until an end that has been.
    assert.equal(reserved, []);
    server.close();
  });
}

test.run();
