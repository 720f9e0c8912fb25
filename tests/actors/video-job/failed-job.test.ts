/** What remains of a failed job: in its generation, and for `why`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RenderResult } from '../../../actors/video-job/outcome.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/video-jobs.ts';
import { begun, generation, open } from './scene.ts';

const it = bounded(test, 10_000);

it('a failed job records its attempts and its error in the generation, and `why` names both', () => {
  const actors = open();
  const job = begun(actors, 1, { candidates: [made.candidate(1), made.candidate(2)] });
  const attempts = [1, 2].map((nth) => ({
    ...{ endpoint: `ep_${nth}`, provider: `Sim ${nth}`, status: nth === 1 ? 503 : null, outcome: 'failed' as const },
    ...{ latencyMs: 12, reason: nth === 1 ? 'overloaded' : 'timeout' },
  }));
  actors.tell(job, made.doneEvent({ ...made.failed(), attempts } as RenderResult));
  const { release } = generation(actors);
  assert.equal([release?.reason, release?.status, release?.attempts], ['The provider failed', 502, attempts]);
  const why = actors.explain(job).join('\n');
  assert.match(why, /The job failed at .*: The provider failed\.\n/);
  assert.match(why, /sim-1 failed: overloaded \(503\) after 12 ms\.\n.*sim-2 failed: timeout after 12 ms\./);
});

it('the result of a build without attempts, and a failure of the service, end the job all the same', () => {
  for (const [event, reason, status] of [
    [made.doneEvent(made.failed()), 'The provider failed', 502],
    [made.failedEvent(1, false), 'The service could not render this job: the nodes that ran it failed each time', 500],
  ] as const) {
    const actors = open();
    const job = begun(actors);
    actors.tell(job, event);
    const { release } = generation(actors);
    assert.equal([release?.reason, release?.status, release?.attempts], [reason, status, []]);
    assert.match(actors.explain(job).join('\n'), /No call to a provider is recorded/);
  }
});

test.run();
