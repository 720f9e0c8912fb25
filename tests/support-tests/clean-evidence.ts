import type { Generation } from '../../actors/terms/hold.ts';
import type { Call } from '../../gateway/simulator/calls/call-log.ts';
import type { Evidence } from '../support/auditor/evidence.ts';

/** A small valid run: a served request, a refused one, a broken stream and an abandoned one. */
export function cleanEvidence(): Evidence {
  return {
    history: [
      invocation(1, 'n1', 'ok'),
      {
        type: 'ok',
        op: 1,
        at: 20,
        generation: 'gen-1',
        cost: '0.000035',
        provider: 'Sim A',
        textIntact: true,
        endings: 1,
      },
      invocation(2, 'n2', 'refused'),
      {
        type: 'fail',
        op: 2,
        at: 25,
        status: 402,
        errorType: 'payment_required',
        generation: 'gen-2',
        delivered: false,
        endings: 0,
      },
      invocation(3, 'n3', 'broken'),
      {
        type: 'fail',
        op: 3,
        at: 60,
        status: 200,
        errorType: 'provider_unavailable',
        generation: 'gen-3',
        delivered: true,
        endings: 1,
      },
      invocation(4, 'n4', 'any'),
      { type: 'unknown', op: 4, at: 70, generation: 'gen-4', reason: 'the client left', left: true },
    ],
    calls: [
      call('n1', { outcome: 'served', usage: { prompt_tokens: 10, completion_tokens: 20 } }),
      call('n3', { outcome: 'cut', usage: null }),
      call('n4', { outcome: 'served', usage: { prompt_tokens: 10, completion_tokens: 20 } }),
    ],
    ledger: {
      accounts: [{ address: 'account:a', balance: '9.999915', held: '0' }],
      entries: [
        {
          account: 'account:a',
          sequence: 1,
          type: 'deposit',
          amount: '10',
          balance: '10',
          generation: null,
          ref: 'dep-1',
        },
        {
          account: 'account:a',
          sequence: 2,
          type: 'charge',
          amount: '0.000035',
          balance: '9.999965',
          generation: 'gen-1',
          ref: 'gen-1',
        },
        {
          account: 'account:a',
          sequence: 3,
          type: 'charge',
          amount: '0.000015',
          balance: '9.99995',
          generation: 'gen-3',
          ref: 'gen-3',
        },
        {
          account: 'account:a',
          sequence: 4,
          type: 'charge',
          amount: '0.000035',
          balance: '9.999915',
          generation: 'gen-4',
          ref: 'gen-4',
        },
      ],
      generations: [
        {
          account: 'account:a',
          row: generation('gen-1', 'n1', { prompt: 10, completion: 20, cost: '0.000035', estimated: false }),
        },
        {
          account: 'account:a',
          row: generation('gen-3', 'n3', { prompt: 12, completion: 6, cost: '0.000015', estimated: true }),
        },
        {
          account: 'account:a',
          row: generation('gen-4', 'n4', { prompt: 10, completion: 20, cost: '0.000035', estimated: false }),
        },
      ],
      actors: [{ address: 'account:a', version: 7, transitionLog: [5, 6, 7] }],
      openings: [],
      chainFaults: [],
    },
    samples: [sample(1, 3, '0.5'), sample(2, 4, '0')],
    credits: [{ account: 'account:a', deposited: '10', used: '0.000085' }],
    deposits: [{ account: 'account:a', amount: '10' }],
    prices: { 'sim-a': [{ model: 'sim/fast', prompt: '0.0000005', completion: '0.0000015' }] },
    slugs: { 'Sim A': 'sim-a' },
    clockSlackMs: 5,
  };
}

function invocation(op: number, nonce: string, expects: 'ok' | 'refused' | 'broken' | 'any') {
  const at = op * 10;
  return {
    type: 'invoke',
    op,
    at,
    wallAt: 1_000 + at,
    nonce,
    account: 'account:a',
    key: 'k',
    model: 'sim/fast',
    stream: true,
    expects,
  } as const;
}

function call(id: string, members: Pick<Call, 'outcome' | 'usage'>): Call {
  return {
    provider: 'sim-a',
    call: 1,
    id,
    model: 'sim/fast',
    stream: true,
    startAt: 1_015,
    firstByteAt: 1_016,
    endAt: 1_018,
    abortAt: null,
    status: 200,
    chunks: 6,
    ...members,
  };
}

function sample(at: number, epoch: number, held: string): Evidence['samples'][number] {
  return {
    at,
    shards: [{ shard: 9, owner: epoch === 3 ? 'i1' : 'i2', epoch }],
    versions: [{ address: 'account:a', version: at + 2 }],
    accounts: [{ address: 'account:a', balance: '10', held, fromLedger: '10', openHolds: held }],
  };
}

interface Charged {
  readonly prompt: number;
  readonly completion: number;
  readonly cost: string;
  readonly estimated: boolean;
}

function generation(id: string, nonce: string, charged: Charged): Generation {
  return {
    generation: id,
    attempt: 1,
    amount: '0.5',
    gateway: 'i1',
    deadlineAt: 99_999,
    model: 'sim/fast',
    endpoint: 'ep_1',
    provider: 'Sim A',
    tariff: 't',
    streamed: true,
    appTitle: null,
    appUrl: null,
    user: nonce,
    sessionId: null,
    metadata: null,
    status: 'settled',
    key: 'key:a/k',
    createdAt: 1_012,
    endedAt: 1_020,
    release: null,
    late: false,
    overshoot: null,
    settlement: {
      generation: id,
      attempt: 1,
      cost: charged.cost,
      unpriced: [],
      promptTokens: charged.prompt,
      completionTokens: charged.completion,
      cachedTokens: null,
      reasoningTokens: null,
      estimated: charged.estimated,
      ...(charged.estimated ? { unmeasured: ['completion'] } : {}),
      finishReason: 'stop',
      nativeFinishReason: 'stop',
      upstreamId: null,
      cancelled: false,
      latencyMs: 1,
      generationMs: 2,
      attempts: [],
    },
  };
}
