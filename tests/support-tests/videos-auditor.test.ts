/** The auditor's rules on videos and webhooks report the lies that they exist for, and nothing in a valid run. */
import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import { auditVideos } from '../support/auditor/audit-videos.ts';
import type {
  ContentSeen,
  HookPost,
  VideoDocument,
  VideoEvidence,
  VideoPoll,
  VideoSubmission,
} from '../support/auditor/video-evidence.ts';
import { bounded } from '../support/bounded.ts';

const it = bounded(test);
const WINDOW_MS = 10_000;
const SECRETS = { a: `whsec_${'1'.repeat(64)}`, b: `whsec_${'2'.repeat(64)}` } as const;
const FAILED = { error: { message: 'no', error_type: 'provider_unavailable' } };

const TWICE = [
  { at: 0, outcome: '5xx' },
  { at: 1, outcome: '2xx' },
] as const;

function submission(id: string, over: Partial<VideoSubmission> = {}): VideoSubmission {
  const plain = { account: 'a', name: id, model: 'm', at: 0, endAt: 10, status: 202, callback: true } as const;
  return { ...plain, id, expects: 'completed', ...over };
}

function poll(id: string, at: number, status: string, more: Partial<VideoDocument> = {}): VideoPoll {
  const known = status === 'pending' ? {} : { generation_id: `gen-${id}` };
  const clip = { unsigned_urls: ['/c'], clip_durations_seconds: [4], usage: { cost: 0.4, video_seconds: 4 } };
  const rendered = status === 'completed' || status === 'expired' ? clip : {};
  const document = { id, polling_url: '/v', status, ...known, ...rendered, ...more };
  return { id, at, endAt: at + 5, document, cost: document.usage === undefined ? null : '0.4' };
}

function content(id: string, over: Partial<ContentSeen> = {}): ContentSeen {
  return { id, way: 'whole', at: 310, endAt: 340, status: 200, bytes: 9, digest: 'd1', ...over };
}

function hook(id: string, event: string, over: Partial<HookPost & { type: string; shown: string }> = {}): HookPost {
  const { type = 'completed', shown = type, ...more } = over;
  const body = JSON.stringify({ id: event, type: `video.generation.${type}`, created: 0, data: { id, status: shown } });
  const v1 = createHmac('sha256', SECRETS.a).update(`1.${body}`).digest('hex');
  return { at: 1_000, id: event, body, signature: `t=1,v1=${v1}`, status: 200, ...more };
}

function delivery(job: string, id: string, over: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    ...{ id, account: 'a', job, type: 'video.generation.completed', url: 'https://x.y/', status: 'delivered' },
    ...{ createdAt: 0, attempts: [{ at: 0, outcome: '2xx' }], nextAttemptAt: null, endedAt: 1 },
    ...over,
  };
}

/** j1 is fetched, j2 expires, j3 fails, j4 is cancelled, j5 is lost by the marketplace after its charge. */
function clean(): VideoEvidence {
  const usage = { cost: 0.4, video_seconds: 4 };
  return {
    submissions: [
      submission('j1'),
      submission('j2'),
      submission('j3', { expects: 'failed' }),
      submission('j4', { callback: false }),
      submission('j5'),
      submission('none', { id: null, status: 402 }),
    ],
    polls: [
      ...[
        poll('j1', 100, 'pending'),
        poll('j1', 150, 'in_progress'),
        poll('j1', 200, 'pending', { generation_id: 'gen-j1' }),
      ],
      ...[poll('j1', 250, 'in_progress'), poll('j1', 300, 'completed'), poll('j1', 99_000, 'completed')],
      ...[poll('j2', 300, 'completed'), poll('j2', 99_000, 'expired')],
      poll('j3', 300, 'failed', FAILED),
      poll('j4', 300, 'cancelled'),
      poll('j5', 300, 'failed', { ...FAILED, usage, fault: 'marketplace' }),
    ],
    contents: [
      content('j1', { at: 110, endAt: 120, status: 409, bytes: 0, digest: null }),
      ...[content('j1'), content('j1', { way: 'part', status: 206, digest: null })],
      content('j2', { at: 99_100, endAt: 99_110, status: 410, bytes: 0, digest: null }),
    ],
    cancels: [{ id: 'j4', at: 200, endAt: 210, status: 200 }],
    listed: ['j1', 'j2', 'j3', 'j4', 'j5'].map((id) => ({ account: 'a', id })),
    clips: new Set(['j1']),
    charges: ['j1', 'j2', 'j5'].map((id) => ({ generation: `gen-${id}`, amount: '0.4' })),
    posts: [
      hook('j1', 'e1', { status: 500 }),
      hook('j1', 'e1'),
      hook('j2', 'e2'),
      hook('j2', 'e3', { type: 'expired' }),
    ],
    deliveries: [
      ...[
        delivery('j1', 'e1', { attempts: TWICE }),
        delivery('j2', 'e2'),
        delivery('j2', 'e3', { type: 'video.generation.expired' }),
      ],
    ],
    secrets: Object.entries(SECRETS).flatMap(([account, secret]) => [
      ...[
        { account, secret },
        { account, secret },
      ],
    ]),
    rates: { m: '0.1' },
    ...{ windowMs: WINDOW_MS, slackMs: 1_000 },
  };
}

it('a valid run is clean, and every rule examined something', () => {
  for (const check of auditVideos(clean())) {
    assert.equal(check.violations, [], check.id);
    assert.ok(check.examined > 0, `${check.id} examined nothing`);
  }
});

type Bend = (run: VideoEvidence) => Partial<VideoEvidence>;
const polled =
  (...more: readonly VideoPoll[]): Bend =>
  ({ polls }) => ({ polls: [...polls, ...more] });
const posted =
  (...more: readonly HookPost[]): Bend =>
  ({ posts }) => ({ posts: [...posts, ...more] });
const charged =
  (generation: string, amount = '0.4'): Bend =>
  ({ charges }) => ({ charges: [...charges, { generation, amount }] });
const seen =
  (more: ContentSeen): Bend =>
  ({ contents }) => ({ contents: [...contents, more] });

const LIES: readonly (readonly [check: string, title: string, bend: Bend])[] = [
  ['rule V1', 'an accepted job that is not listed', ({ listed }) => ({ listed: listed.slice(1) })],
  ['rule V1', 'a failed job that completes', polled(poll('j3', 400, 'completed'))],
  ['rule V1', 'a completed job that starts again', polled(poll('j1', 99_100, 'pending'))],
  ['rule V21', 'a second render that is charged', charged('gen-j1')],
  ['rule V21', 'a charge that the job does not show', charged('gen-j3')],
  [
    'rule V22',
    'a job that never ends',
    ({ polls }) => ({ polls: polls.filter(({ id, at }) => id !== 'j1' || at < 300) }),
  ],
  ['rule V22', 'a render that was given up', polled(poll('j2', 99_900, 'failed', FAILED))],
  ['rule V22', 'a job that nobody cancelled', ({ cancels }) => ({ cancels: cancels.slice(1) })],
  [
    'rule V23',
    'a lost result without the fault',
    polled(poll('j5', 400, 'failed', { ...FAILED, usage: { cost: 0.4, video_seconds: 4 } })),
  ],
  [
    'rule V23',
    "a provider's failure as a fault",
    polled(poll('j3', 400, 'failed', { ...FAILED, fault: 'marketplace' })),
  ],
  [
    'rule V23',
    'a fault whose usage nobody paid',
    polled(
      poll('j3', 400, 'failed', {
        ...{ error: { message: 'no', error_type: 'server' }, fault: 'marketplace' },
        usage: { cost: 0.4, video_seconds: 4 },
      }),
    ),
  ],
  ['rule V29', 'a null member', polled(poll('j1', 99_100, 'completed', { error: null as never }))],
  ['rule V29', 'an early content path', polled(poll('j1', 160, 'in_progress', { unsigned_urls: [] }))],
  ['rule V29', 'an early usage', polled(poll('j1', 160, 'in_progress', { usage: { cost: null, video_seconds: 0 } }))],
  [
    'rule V29',
    'a completed job without its seconds',
    polled(poll('j1', 99_100, 'completed', { clip_durations_seconds: undefined as never })),
  ],
  ['rule V29', 'a failed job without its error', polled(poll('j3', 400, 'failed'))],
  ['rule V30', 'content of a pending job', seen(content('j1', { at: 110, endAt: 120 }))],
  ['rule V30', 'content of an expired job', seen(content('j2', { at: 99_100, endAt: 99_110 }))],
  ['rule V30', '409 of a completed job', seen(content('j1', { status: 409 }))],
  ['rule V32', 'two downloads that differ', seen(content('j1', { digest: 'd2' }))],
  ['rule V33', 'the clip of an expired job', () => ({ clips: new Set(['j1', 'j2']) })],
  [
    'rule V34',
    'a job that expires although a part was fetched',
    seen(content('j2', { way: 'part', status: 206, at: 350, endAt: 351 })),
  ],
  ['rule V34', 'a job that never expires', polled(poll('j5', 60, 'completed'), poll('j5', 99_000, 'completed'))],
  [
    'rule V15',
    'a charge for other seconds',
    ({ polls }) => ({
      polls: polls.map((each) => ({
        ...each,
        document: {
          ...each.document,
          ...(each.document.clip_durations_seconds ? { clip_durations_seconds: [5] } : {}),
        },
      })),
    }),
  ],
  [
    'rule V15',
    'a shown cost that was not charged',
    ({ polls }) => ({ polls: polls.map((each) => ({ ...each, cost: '0.5' })) }),
  ],
  ['rule V38', 'a second id for the same event', posted(hook('j1', 'e9'))],
  ['rule V38', 'a completed webhook of a failed job', posted(hook('j3', 'e9'))],
  ['rule V38', 'a document of another status', posted(hook('j1', 'e1', { shown: 'in_progress' }))],
  [
    'rule V38',
    'a webhook for a job without a callback',
    ({ posts, polls }) => ({ posts: [...posts, hook('j4', 'e9')], polls: [...polls, poll('j4', 400, 'completed')] }),
  ],
  ['rule V39', 'a ninth post', posted(...Array.from({ length: 8 }, () => hook('j1', 'e1', { status: 500 })))],
  ['rule V39', 'another text', posted(hook('j1', 'e1', { body: `${hook('j1', 'e1').body} ` }))],
  ['rule V39', 'a post after a recorded 2xx', posted(hook('j1', 'e1'))],
  [
    'rule V39',
    'a delivery that is never finished',
    ({ deliveries }) => ({ deliveries: [...deliveries, delivery('j1', 'e9', { status: 'waiting' })] }),
  ],
  [
    'rule V39',
    'a delivery that nobody received',
    ({ deliveries }) => ({ deliveries: [...deliveries, delivery('j1', 'e9')] }),
  ],
  ['rule V40', 'a lost event', ({ deliveries }) => ({ deliveries: deliveries.slice(1) })],
  ['rule V40', 'an invented event', ({ deliveries }) => ({ deliveries: [...deliveries, delivery('j3', 'e9')] })],
  [
    'rule V41',
    'a signature over other bytes',
    posted(hook('j1', 'e1', { body: hook('j1', 'e1').body.replace('"created":0', '"created":1') })),
  ],
  [
    'rule V41',
    'the secret of another account',
    ({ secrets }) => ({
      secrets: secrets.map(({ account }) => ({ account, secret: account === 'a' ? SECRETS.b : SECRETS.a })),
    }),
  ],
  ['rule V41', 'an old time', posted(hook('j1', 'e1', { at: 400_000 }))],
  ['rule V42', 'a second secret', ({ secrets }) => ({ secrets: [...secrets, { account: 'a', secret: 'whsec_3' }] })],
  ['rule V42', 'a shared secret', () => ({ secrets: ['a', 'b'].map((account) => ({ account, secret: SECRETS.a })) })],
  [
    'rule V42',
    'a secret in a post',
    posted(hook('j1', 'e1', { body: JSON.stringify({ ...JSON.parse(hook('j1', 'e1').body), x: SECRETS.a }) })),
  ],
];

for (const [id, title, bend] of LIES) {
  it(`${id} reports ${title}`, () => {
    const run = clean();
    const found = auditVideos({ ...run, ...bend(run) }).find((check) => check.id === id);
    assert.ok((found?.violations.length ?? 0) > 0, `${id} examined ${found?.examined} and reports nothing`);
  });
}

it('one repeat after a crash between the 2xx and its record is no violation', () => {
  const run = clean();
  const attempts = [
    { at: 0, outcome: 'interrupted' },
    { at: 1, outcome: '2xx' },
  ] as const;
  const deliveries = run.deliveries.map((each) => (each.id === 'e2' ? { ...each, attempts } : each));
  const checks = auditVideos({ ...run, deliveries, posts: [...run.posts, hook('j2', 'e2')] });
  assert.equal(
    checks.flatMap(({ violations }) => violations),
    [],
  );
});

test.run();
