/** Messages and activities under loss, repeats, delay, refused and unknown commits, takeovers and hand-overs; by seed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import type { ActivityTask } from '../../../../../actors/runtime/ports/activity.ts';
import { bounded } from '../../../../support/bounded.ts';
import { WIDE } from '../../../../support/wide.ts';
import { HandClock } from '../hand-clock.ts';
import { inShard, SHARDS, type Stage, Stages } from '../stage.ts';

const it = bounded(test);
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const SENDERS = [0, 1, 2].map((shard) => inShard('sender', shard, 's'));
const RECEIVERS = [5, 6, 7].map((shard) => inShard('sender', shard, 'r'));
const ROUNDS = 60;

/** mulberry32. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Storm {
  readonly clock = new HandClock();
  readonly stages: Stages;
  /** Notes whose sending was acknowledged, and those with an unknown outcome; by pair, in order. */
  readonly sure = new Map<string, string[]>();
  readonly perhaps = new Set<string>();
  readonly calls = new Map<string, Set<string>>();
  readonly seen = { lost: 0, repeated: 0, delayed: 0, refused: 0, unknown: 0, killed: 0, moved: 0, attempts: 0 };
  private readonly random: () => number;
  private lives = 0;
  private notes = 0;

  constructor(seed: number) {
    this.random = chance(seed);
    this.stages = new Stages(this.clock, { bytes: (length) => new Uint8Array(length), fraction: this.random });
    this.stages.wire = (_, pass) => this.weather(pass);
  }

  async run(): Promise<void> {
    await (await this.open()).take(ALL);
    await this.open();
    for (const address of [...SENDERS, ...RECEIVERS]) await this.insist(address, { type: 'open' });
    for (let round = 0; round < ROUNDS; round++) await this.round();
    this.stages.wire = (_, pass) => pass();
    for (const stage of this.stages.running) (stage.store as Stages['store']).fault = null;
    for (let i = 0; i < 120 && !(await this.calm()); i++) {
      await this.reclaim();
      await this.clock.advance(1_000);
    }
  }

  private async round(): Promise<void> {
    for (const sender of SENDERS) if (this.random() < 0.7) await this.act(sender);
    const dice = this.random();
    if (dice < 0.06) await this.kill();
    else if (dice < 0.16) await this.move();
    await this.reclaim();
    await this.clock.advance(Math.ceil(this.random() * 400));
  }

  private async act(sender: string): Promise<void> {
    const to = RECEIVERS[Math.floor(this.random() * RECEIVERS.length)] as string;
    const note = `${sender}>${to}#${String(++this.notes).padStart(6, '0')}`;
    const work = this.random() < 0.3;
    const event = work
      ? { type: 'work', id: note, inMs: 3_600_000 }
      : { type: 'post', messages: [{ to, event: { type: 'note', note } }] };
    const { answer } = await this.ask(sender, event);
    if (work) return;
    if (answer === 'ok') this.sure.set(`${sender} ${to}`, [...(this.sure.get(`${sender} ${to}`) ?? []), note]);
    else if (answer === 'lost') this.perhaps.add(note);
  }

  private async ask(to: string, event: { type: string; [key: string]: Json }) {
    const stage = this.ownerOf(shardOf(to, SHARDS));
    if (stage === undefined) return { answer: 'moved', body: null };
    let result: { answer: string; body: Json } | null = null;
    void stage.ask(to, event).then((answer) => {
      result = answer.ok ? { answer: 'ok', body: answer.body } : { answer: answer.failure.code, body: null };
    });
    for (let i = 0; i < 200 && result === null; i++) await this.clock.advance(5);
    return result ?? { answer: 'lost', body: null };
  }

  async insist(to: string, event: { type: string }): Promise<Json> {
    for (let i = 0; i < 100; i++) {
      const { answer, body } = await this.ask(to, event);
      if (answer === 'ok') return body;
      await this.reclaim();
    }
    throw new Error(`${to} was not reached`);
  }

  private ownerOf(shard: number): Stage | undefined {
    return this.stages.running.find(({ engine }) => engine.epochOf(shard) !== null);
  }

  private async weather(pass: () => Promise<Json>): Promise<Json> {
    const dice = this.random();
    if (dice < 0.1) {
      this.seen.lost++;
      throw new AskError('x', { code: 'expired' });
    }
    if (dice < 0.25) {
      this.seen.delayed++;
      await new Promise<void>((resolve) => this.clock.after(Math.ceil(this.random() * 900), resolve));
    }
    const reply = await pass();
    if (dice > 0.85) {
      this.seen.repeated++;
      this.clock.after(Math.ceil(this.random() * 900), () => void pass().catch(() => {}));
    }
    if (dice > 0.78 && dice < 0.9) {
      this.seen.lost++;
      throw new AskError('x', { code: 'lost' });
    }
    return reply;
  }

  private async open(): Promise<Stage> {
    const perform = async ({ id, key, attempt }: ActivityTask): Promise<Json> => {
      this.calls.set(id, (this.calls.get(id) ?? new Set()).add(key));
      if (attempt > 1) this.seen.attempts++;
      await new Promise<void>((resolve) => this.clock.after(Math.ceil(this.random() * 2_000), resolve));
      if (this.random() < 0.2) throw new Error(`${id} failed`);
      return id;
    };
    const stage = await this.stages.open(`n${++this.lives}`, { work: { ...WIDE, run: perform } });
    (stage.store as Stages['store']).fault = () => {
      const dice = this.random();
      if (dice < 0.04) {
        this.seen.refused++;
        return { type: 'refuse', reason: 'busy' };
      }
      if (dice > 0.03 + 0.95) {
        this.seen.unknown++;
        return { type: this.random() < 0.5 ? 'fail' : 'lose-acknowledgement' };
      }
      return null;
    };
    return stage;
  }

  private async kill(): Promise<void> {
    this.seen.killed++;
    const victim = this.stages.running[Math.floor(this.random() * this.stages.running.length)] as Stage;
    await this.stages.kill(victim);
    await this.open();
  }

  private async move(): Promise<void> {
    const shard = Math.floor(this.random() * SHARDS);
    const from = this.ownerOf(shard);
    const to = this.stages.running.find((stage) => stage !== from);
    if (from === undefined || to === undefined) return;
    let released = false;
    void from.engine.release(shard).then(() => {
      released = true;
    });
    for (let i = 0; i < 400 && !released; i++) await this.clock.advance(5);
    assert.ok(released, 'a release ends');
    this.seen.moved++;
    await to.take([shard]);
  }

  /** Adopts the shards that no node serves, because an outcome was unknown or the owner died. */
  private async reclaim(): Promise<void> {
    const free = ALL.filter((shard) => this.ownerOf(shard) === undefined);
    if (free.length === 0) return;
    const owners = new Map((await this.stages.store.shards()).map(({ shard, owner }) => [shard, owner]));
    for (const shard of free) {
      const owner = this.stages.running.find(({ incarnation }) => incarnation === owners.get(shard));
      if (owner === undefined) await (this.stages.running[0] as Stage).take([shard]);
      else await owner.take(ALL);
    }
    await this.clock.advance(1);
  }

  private async calm(): Promise<boolean> {
    for (const collection of ['$outbox', '$activities', '$dead-letters']) {
      if ((await this.stages.store.rows({ collection, limit: 1 })).length > 0) return false;
    }
    return true;
  }
}

for (let seed = 1; seed <= 25; seed++) {
  it(`seed ${seed}: what was sent arrives once and in order, and work ends once, with one key`, async () => {
    const storm = new Storm(seed);
    try {
      await storm.run();
      const ended = new Map<string, number>();
      for (const receiver of RECEIVERS) {
        const received = ((await storm.insist(receiver, { type: 'open' })) as string[]).map(
          (it) => JSON.parse(it) as string,
        );
        assert.is(new Set(received).size, received.length, `seed ${seed}: something arrived twice`);
        for (const sender of SENDERS) {
          const mine = received.filter((note) => note.startsWith(`${sender}>`));
          assert.equal(mine, [...mine].sort(), `seed ${seed}: the order of ${sender} to ${receiver}`);
          const sure = storm.sure.get(`${sender} ${receiver}`) ?? [];
          assert.equal(
            sure.filter((note) => !mine.includes(note)),
            [],
            `seed ${seed}: lost`,
          );
          const invented = mine.filter((note) => !sure.includes(note) && !storm.perhaps.has(note));
          assert.equal(invented, [], `seed ${seed}: never sent`);
        }
      }
      for (const sender of SENDERS) {
        for (const text of (await storm.insist(sender, { type: 'open' })) as string[]) {
          if (!text.startsWith('"attempt ')) ended.set(text, (ended.get(text) ?? 0) + 1);
        }
      }
      assert.ok(
        [...ended.values()].every((times) => times === 1),
        `seed ${seed}: a result was taken twice`,
      );
      assert.ok(
        [...storm.calls.values()].every((keys) => keys.size === 1),
        `seed ${seed}: two keys for one work`,
      );
      for (const collection of ['$outbox', '$activities', '$dead-letters']) {
        const left = await storm.stages.store.rows({ collection, limit: 10 });
        assert.equal(left, [], `seed ${seed}: ${collection}`);
      }
      for (const [what, times] of Object.entries(storm.seen)) total.set(what, (total.get(what) ?? 0) + times);
    } finally {
      storm.stages.wire = (_, pass) => pass();
      for (const stage of storm.stages.running) (stage.store as Stages['store']).fault = null;
      const closing = storm.stages.close();
      let closed = false;
      void closing.then(() => {
        closed = true;
      });
      for (let i = 0; i < 1_000 && !closed; i++) await storm.clock.advance(100);
      assert.ok(closed, `seed ${seed}: the engines close`);
    }
  });
}

const total = new Map<string, number>();
it('every fault took effect in some seed', () => {
  for (const what of ['lost', 'repeated', 'delayed', 'refused', 'unknown', 'killed', 'moved', 'attempts']) {
    assert.ok((total.get(what) ?? 0) > 0, `${what}: ${total.get(what)}`);
  }
});

test.run();
