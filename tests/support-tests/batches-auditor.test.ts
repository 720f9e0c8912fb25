import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../support/auditor/audit.ts';
import type { BatchEvidence, BatchPoll, BatchSeen, ResultLine, Submission } from '../support/auditor/batch-evidence.ts';
import type { CallSeen, Evidence } from '../support/auditor/evidence.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from './clean-evidence.ts';

const it = bounded(test);

const breq = (n: number): string => `breq_${String(n).padStart(32, '0')}`;

function replied(over: Partial<ResultLine> = {}): ResultLine {
  const response = { status_code: 200, request_id: 'gen-1', body: { usage: { cost: 0.000035 } } };
  return { id: breq(1), custom_id: 'n1', response, error: null, ...over };
}

function failed(error: Partial<NonNullable<ResultLine['error']>> = {}, over: Partial<ResultLine> = {}): ResultLine {
  const plain = { type: 'not_found', message: 'No such model', code: 404, request_id: null };
  return { id: breq(2), custom_id: 'bad', response: null, error: { ...plain, ...error }, ...over };
}

const jsonl = (lines: readonly ResultLine[]): string => lines.map((line) => JSON.stringify(line)).join('\n');

function poll(over: Partial<BatchPoll> = {}): BatchPoll {
  const counts = { total: 2, completed: 0, failed: 1 };
  const plain = { id: 'batch_1', at: 1_012, endAt: 1_013, status: 'in_progress', counts, finalizedAt: null };
  return { ...plain, results: null, ...over };
}

const DONE = { total: 2, completed: 1, failed: 1 };
const ended = (lines: readonly ResultLine[] = [replied(), failed()], over: Partial<BatchPoll> = {}): BatchPoll =>
  poll({ at: 1_030, endAt: 1_031, status: 'completed', counts: DONE, finalizedAt: 1, results: jsonl(lines), ...over });

const SUBMITTED: Submission = {
  ...{ account: 'account:a', key: 'k', name: 'b', at: 1_000, endAt: 1_010, status: 202, id: 'batch_1', queue: null },
  lines: [
    { customId: 'n1', refused: null },
    { customId: 'bad', refused: { type: 'not_found', code: 404 } },
  ],
};
const SECOND: Submission = {
  ...{ ...SUBMITTED, name: 'c', at: 1_011, endAt: 1_012, id: 'batch_2' },
  lines: [{ customId: 'n3', refused: null }],
};

/** One batch that completed, one that was cancelled while its line was under way, and an eleventh one. */
function clean(): BatchEvidence {
  const cut = failed({ type: 'batch_cancelled', code: null, request_id: 'gen-3' }, { custom_id: 'n3', id: breq(3) });
  const counts = { total: 1, completed: 0, failed: 0 };
  return {
    submissions: [
      SUBMITTED,
      SECOND,
      { ...SUBMITTED, name: 'd', id: null, status: 429, queue: { limit: 10, active: 10 }, lines: [] },
    ],
    polls: [
      poll({ status: 'validating', counts: { total: 2, completed: 0, failed: 0 }, at: 1_010, endAt: 1_011 }),
      poll(),
      ended(),
      poll({ id: 'batch_2', status: 'cancelling', counts, at: 1_021, endAt: 1_022 }),
      ended([cut], { id: 'batch_2', status: 'cancelled', counts }),
    ],
    cancels: [
      { id: 'batch_2', at: 1_016, endAt: 1_017, status: 200, batch: 'cancelling' },
      { id: 'batch_2', at: 1_018, endAt: 1_019, status: 200, batch: 'cancelling' },
      { id: 'batch_1', at: 1_040, endAt: 1_041, status: 409, batch: null },
    ],
    listed: [
      { account: 'account:a', id: 'batch_1' },
      { account: 'account:a', id: 'batch_2' },
    ],
    strangers: [
      { id: 'batch_1', status: 404, body: 'No such batch' },
      { id: 'x', status: 404, body: 'No such batch' },
    ],
    revoked: [{ key: 'k', at: 2_000 }],
    lostKeys: new Map(),
    windowMs: 86_400_000,
    seen: [
      {
        account: 'account:a',
        events: [
          { id: 'batch_1', at: 1_011, status: 'in_progress', counts: { total: 2, completed: 0, failed: 1 } },
          { id: 'batch_2', at: 1_022, status: 'cancelled', counts },
          { id: 'batch_1', at: 1_029, status: 'completed', counts: DONE },
          { id: 'batch_1', at: 1_032, status: 'completed', counts: DONE },
        ],
      },
    ],
  };
}

const events =
  (change: (events: readonly BatchSeen[]) => readonly BatchSeen[]) =>
  ({ seen = [] }: BatchEvidence): Partial<BatchEvidence> => ({
    seen: seen.map((each) => ({ ...each, events: change(each.events) })),
  });

function withBatches(batches: BatchEvidence, calls: readonly CallSeen[] = []): Evidence {
  const evidence = cleanEvidence();
  return { ...evidence, calls: [...evidence.calls, ...calls], batches };
}

it('a valid run of batches is clean, and every rule examined something', () => {
  const { checks } = audit(withBatches(clean()));
  for (const check of checks) {
    assert.equal(check.violations, [], check.id);
    assert.ok(check.examined > 0 || check.id === 'rule B17', `${check.id} examined nothing`);
  }
  assert.ok(checks.some(({ id }) => id === 'rule B34'));
});

const polls = (change: (batch: BatchPoll) => BatchPoll) => (b: BatchEvidence) => ({ polls: b.polls.map(change) });
const results = (...lines: readonly ResultLine[]) =>
  polls((each) => (each.id === 'batch_1' && each.results !== null ? { ...each, results: jsonl(lines) } : each));
const call = (id: string, over: Partial<CallSeen>): CallSeen => ({
  ...({
    provider: 'sim-a',
    call: 9,
    id,
    model: 'sim/fast',
    stream: false,
    startAt: 1_015,
    firstByteAt: 1_016,
  } as const),
  ...({ endAt: 1_018, abortAt: null, outcome: 'served', status: 200, chunks: 1, usage: null } as const),
  ...over,
});

type Lie = readonly [
  check: string,
  title: string,
  bend: (batches: BatchEvidence) => Partial<BatchEvidence>,
  calls?: readonly CallSeen[],
];

const LIES: readonly Lie[] = [
  ['rule B6', 'an acknowledged batch that is not listed', (b) => ({ listed: b.listed.slice(1) })],
  ['rule B6', 'a batch that was refused', (b) => ({ listed: [...b.listed, { account: 'account:a', id: 'batch_9' }] })],
  ['rule B12', 'an ended batch that runs again', (b) => ({ polls: [...b.polls, poll({ at: 1_050, endAt: 1_051 })] })],
  [
    'rule B12',
    'counts that fall',
    (b) => ({ polls: [...b.polls, ended([], { at: 1_050, endAt: 1_051, counts: { ...DONE, failed: 0 } })] }),
  ],
  ['rule B12', 'an end without its time', polls((each) => ({ ...each, finalizedAt: null }))],
  ['rule B28', 'a missing line', results(replied())],
  ['rule B28', 'lines in another order', results(failed(), replied())],
  ['rule B28', 'a line with response and error', results(replied({ error: failed().error }), failed())],
  [
    'rule B16',
    'a line that failed without a reason',
    results(replied({ response: null, error: failed().error }), failed()),
  ],
  ['rule B16', 'a batch that does not end', (b) => ({ polls: b.polls.filter((each) => each.results === null) })],
  ['rule B17', 'a call after the charge', () => ({}), [call('n1', { startAt: 1_100, endAt: 1_101 })]],
  [
    'rule B19',
    'a server error although its key exists',
    results(replied({ response: null, error: { ...failed().error, type: 'server' } as never }), failed()),
  ],
  ['rule B19', 'a lost key that is not marked', () => ({ lostKeys: new Map([['batch_1', 5_000]]) })],
  ['rule B19', 'a line that is sent without its key', () => ({ lostKeys: new Map([['batch_1', -5_000]]) })],
  [
    'rule B20',
    'a reply under another generation',
    results(
      replied({ response: { status_code: 200, request_id: 'gen-4', body: { usage: { cost: 0.000035 } } } }),
      failed(),
    ),
  ],
  [
    'rule B20',
    'another cost than the charge',
    results(replied({ response: { status_code: 200, request_id: 'gen-1', body: { usage: { cost: 0.1 } } } }), failed()),
  ],
  [
    'rule B20',
    'a charge that no line names',
    results(replied({ response: null, error: { ...failed().error, request_id: null } as never }), failed()),
  ],
  [
    'rule B15',
    'nine lines in flight',
    (b) => ({ submissions: [...b.submissions, nine('m')] }),
    Array.from({ length: 9 }, (_, n) => call(`m${n}`, {})),
  ],
  [
    'rule B14',
    'a younger batch that begins first',
    (b) => ({ submissions: [...b.submissions, { ...nine('m'), endAt: 1_010 }] }),
    [
      call('n3', { startAt: 1_001, endAt: 1_002 }),
      ...Array.from({ length: 9 }, (_, n) => call(`m${n}`, { startAt: 1_020 + n, endAt: 1_021 + n })),
    ],
  ],
  [
    'rule B7',
    'a refusal without its numbers',
    (b) => ({ submissions: b.submissions.map((each) => ({ ...each, queue: null })) }),
  ],
  ['rule B7', 'eleven batches at once', (b) => eleven(b)],
  ['rule B25', 'a call after the cancel', () => ({}), [call('n3', { startAt: 4_000, endAt: 4_001 })]],
  [
    'rule B25',
    'a cancelled batch that completes',
    polls((each) => (each.status === 'cancelled' ? { ...each, status: 'completed' } : each)),
  ],
  [
    'rule B26',
    'a second cancel that is refused',
    (b) => ({ cancels: b.cancels.map((each, nth) => (nth === 1 ? { ...each, status: 409 } : each)) }),
  ],
  [
    'rule B26',
    'a cancel of an ended batch',
    (b) => ({
      cancels: b.cancels.map((each, nth) => (nth === 2 ? { ...each, status: 200, batch: 'completed' } : each)),
    }),
  ],
  [
    'rule B24',
    'a batch that expires early',
    polls((each) => (each.id === 'batch_1' && each.results !== null ? { ...each, status: 'expired' } : each)),
  ],
  [
    'rule B31',
    'a reply above the bound',
    results(
      replied({
        response: {
          status_code: 200,
          request_id: 'gen-1',
          body: { text: 'a'.repeat(1_100_000), usage: { cost: 0.000035 } },
        },
      }),
      failed(),
    ),
  ],
  [
    'rule B31',
    'a full results file although the line was sent',
    results(replied({ response: null, error: { ...failed().error, type: 'results_full' } as never }), failed()),
  ],
  [
    'rule B31',
    'a reply of over 1 MiB that is kept',
    (b) => ({
      submissions: b.submissions.map((each) => ({
        ...each,
        lines: each.lines.map((line) => (line.customId === 'n1' ? { ...line, huge: true } : line)),
      })),
    }),
  ],
  ['rule B3', 'another error than the live route', results(replied(), failed({ type: 'invalid_request', code: 400 }))],
  ['rule B3', 'a bad body that was sent', () => ({}), [call('bad', {})]],
  ['rule B23', 'a call for a disabled key', () => ({ revoked: [{ key: 'k', at: -3_000 }] })],
  [
    'rule B23',
    'a line of a disabled key that fails otherwise',
    (b) => ({
      revoked: [{ key: 'k', at: 2_000 }],
      submissions: b.submissions.map((each) => ({
        ...each,
        lines: each.lines.map((line) => ({ ...line, refused: null })),
      })),
    }),
  ],
  [
    'rule B29',
    'counts that are not those of the lines',
    polls((each) =>
      each.id === 'batch_1' && each.results !== null
        ? { ...each, counts: { total: 2, completed: 2, failed: 0 } }
        : each,
    ),
  ],
  ['rule B30', 'results of a running batch', polls((each) => ({ ...each, results: each.results ?? '' }))],
  [
    'rule B34',
    'a stranger’s batch that is shown',
    (b) => ({ strangers: [...b.strangers, { id: 'batch_1', status: 200, body: '{}' }] }),
  ],
  ['rule B52', 'an event behind a newer one', events((all) => [...all, { ...(all[0] as BatchSeen), at: 1_050 }])],
  ['rule B53', 'an event before its commit', events((all) => all.map((each) => ({ ...each, at: 1_000 })))],
  ['rule B54', 'an end that its follower missed', events((all) => all.slice(0, 2))],
  ['rule B54', 'a batch that its follower missed', events((all) => all.filter((each) => each.id === 'batch_1'))],
  ['rule B34', 'a 404 that differs', (b) => ({ strangers: [...b.strangers, { id: 'y', status: 404, body: 'gone' }] })],
];

/** A batch of nine lines. */
function nine(prefix: string): Submission {
  const lines = Array.from({ length: 9 }, (_, n) => ({ customId: `${prefix}${n}`, refused: null }));
  return { ...SUBMITTED, name: prefix, id: `batch_${prefix}`, at: 1_012, endAt: 1_013, lines };
}

function eleven({ submissions, listed, polls: seen }: BatchEvidence): Partial<BatchEvidence> {
  const more = Array.from({ length: 11 }, (_, n) => ({ ...SECOND, id: `batch_x${n}`, name: `x${n}`, lines: [] }));
  const counts = { total: 0, completed: 0, failed: 0 };
  return {
    submissions: [...submissions, ...more],
    listed: [...listed, ...more.map(({ id }) => ({ account: 'account:a', id }))],
    polls: [...seen, ...more.map(({ id }) => poll({ id, counts, at: 1_020, endAt: 1_021 }))],
  };
}

for (const [id, title, bend, calls] of LIES) {
  it(`${id} reports ${title}`, () => {
    const batches = clean();
    const { checks } = audit(withBatches({ ...batches, ...bend(batches) }, calls));
    const broken = checks.filter((check) => check.violations.length > 0).map((check) => check.id);
    assert.ok(broken.includes(id), `reported: ${broken.join(', ') || 'nothing'}`);
  });
}

test.run();
