/** A takeover played again from what is stored of it: by a slider, or by itself in its own rhythm. */
import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../client/live.ts';
import { hrefOf, setQuery, usePlace } from '../client/place.ts';
import { Facts, PageFrame, Panel } from '../kit/layout.tsx';
import { ShardMap } from '../kit/shard-map.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { ActorLink, actorPath, count, duration, Time } from '../kit/text.tsx';

interface Moment {
  readonly at: number;
  readonly phase: 'beat' | 'suspected' | 'died' | 'claimed' | 'committed' | 'resumed' | 'ended';
  readonly node: string;
  readonly what: string;
  readonly actor: string | null;
  readonly version: number | null;
}

interface Takeover {
  readonly n: number;
  readonly node: string;
  readonly incarnation: string;
  readonly at: number;
  readonly why: string | null;
  /** Oldest first; at least the death. */
  readonly moments: readonly Moment[];
  readonly shards: readonly {
    readonly shard: number;
    readonly epoch: number;
    readonly node: string;
    readonly at: number;
  }[];
  readonly actors: readonly { readonly node: string; readonly kind: string; readonly actors: number }[];
}

/** The work of the successors is reported for some seconds. */
const READ_MS = 2_000;
/** Between two moments the play waits as long as it took, within these. */
const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 1_500;

export function TakeoverPage({ n }: { readonly n: string }) {
  const live = useLive<Takeover>(`/api/takeovers/${encodeURIComponent(n)}`, {}, READ_MS);
  return (
    <PageFrame title="Takeover" what="A node that died and what its successors did, from the events that are stored.">
      <Answer live={live}>
        {(takeover) => (
          <>
            <Summary takeover={takeover} />
            <Play takeover={takeover} />
          </>
        )}
      </Answer>
    </PageFrame>
  );
}

function Summary({ takeover }: { readonly takeover: Takeover }) {
  const { node, incarnation, at, why, moments, shards, actors } = takeover;
  const firstOf = (phase: Moment['phase']): number | undefined => moments.find((one) => one.phase === phase)?.at;
  const beat = firstOf('beat');
  const after = (phase: Moment['phase']): string | null => {
    const then = firstOf(phase);
    return beat === undefined || then === undefined ? null : `${duration(then - beat)} after its last heartbeat`;
  };
  const works = actors.map(({ node: successor, kind, actors: many }) => `${count(many)} of ${kind} at ${successor}`);
  return (
    <Panel title={node}>
      <Facts
        facts={[
          ['Died', <Time key="at" at={at} />],
          ['Why', why],
          ['Incarnation', <code key="incarnation">{incarnation}</code>],
          ['Declared dead', after('died')],
          ['Shards claimed', shards.length === 0 ? 'none yet' : `${count(shards.length)}, ${after('claimed') ?? ''}`],
          ['First commit', after('committed')],
          ['Actors at work again', works.length === 0 ? 'none yet' : works.join('; ')],
        ]}
      />
    </Panel>
  );
}

function Play({ takeover }: { readonly takeover: Takeover }) {
  const { query } = usePlace();
  const { moments } = takeover;
  const last = moments.length - 1;
  const given = query.get('moment');
  const at = given === null ? last : Math.min(last, Math.max(0, Number(given) || 0));
  const moment = moments[at] as Moment;
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const next = moments[at + 1];
    if (next === undefined) {
      setPlaying(false);
      return;
    }
    const waitMs = Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, next.at - moment.at));
    const timer = setTimeout(() => setQuery({ moment: String(at + 1) }), waitMs);
    return () => clearTimeout(timer);
  }, [isPlaying, at, moments.length]);
  const toggle = (): void => {
    if (!isPlaying && at === last) setQuery({ moment: '0' });
    setPlaying(!isPlaying);
  };
  return (
    <>
      <Panel
        title="Replay"
        aside={
          <button type="button" onClick={toggle}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>
        }
      >
        <label class="slider">
          <span>
            Moment {at + 1} of {moments.length}: {moment.node}, {moment.what}, at <Time at={moment.at} />
          </span>
          <input
            type="range"
            min={0}
            max={last}
            value={at}
            onInput={(event) => {
              setPlaying(false);
              setQuery({ moment: event.currentTarget.value });
            }}
          />
        </label>
        <Owners takeover={takeover} at={moment.at} />
      </Panel>
      <Panel title="Time line">
        <Moments moments={moments} shown={at} />
      </Panel>
    </>
  );
}

/** The dead node's shards alone: at the dead node until it is declared dead, then without owner, then at a successor. */
function Owners({ takeover: { node, at: diedAt, shards }, at }: { readonly takeover: Takeover; readonly at: number }) {
  const names = [...new Set([node, ...shards.map((one) => one.node)])];
  const before = at < diedAt ? node : null;
  const owned = [...shards]
    .sort((a, b) => a.shard - b.shard)
    .map((one) => {
      const isClaimed = at >= one.at;
      return {
        shard: one.shard,
        node: isClaimed ? one.node : before,
        epoch: isClaimed ? one.epoch : one.epoch - 1,
        isMoved: isClaimed,
      };
    });
  return <ShardMap shards={owned} names={names} marked="claimed" />;
}

function Moments({ moments, shown }: { readonly moments: readonly Moment[]; readonly shown: number }) {
  const from = moments[0]?.at ?? 0;
  return (
    <ol class="timeline moments">
      {moments.map((moment, at) => {
        const { phase, node, what, actor, version } = moment;
        const sinceMs = moment.at - (moments[at - 1]?.at ?? moment.at);
        return (
          <li
            key={`${moment.at} ${phase} ${node} ${actor} ${what}`}
            class={at > shown ? 'later' : undefined}
            aria-current={at === shown ? 'step' : undefined}
          >
            <span class="number" title={`${duration(sinceMs)} after the moment before`}>
              +{duration(moment.at - from)}
            </span>
            <span>
              <StateBadge state={phase} tone={TONES[phase]} /> <b>{node}</b> {what}{' '}
              {actor !== null && <ActorLink address={actor} />}
              {actor !== null && version !== null && (
                <>
                  {' '}
                  <a href={hrefOf(`${actorPath(actor)}?tab=time&step=${version}`)}>step {version}</a>
                </>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const TONES = {
  beat: 'plain',
  suspected: 'warn',
  died: 'bad',
  claimed: 'busy',
  committed: 'good',
  resumed: 'good',
  ended: 'warn',
} as const;
