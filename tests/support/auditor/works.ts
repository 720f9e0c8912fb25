import { type Check, Checking } from './check.ts';
import type { PerformedCall, RuntimeEvidence } from './runtime-evidence.ts';

/** Work that was asked for is begun at least once, always under its own key, and ends once for its actor. */
export function workIsDone({ jobs, works, performed }: RuntimeEvidence): Check {
  const check = new Checking('P1', 'work: at least once, one key, one end');
  const stored = new Map(works.map((work) => [`${work.address} ${work.id}`, work]));
  const calls = callsByWork(performed);
  for (const { address, id, outcome } of jobs) {
    const work = stored.get(`${address} ${id}`);
    check.expect(outcome !== 'ok' || work !== undefined, () => `${address} ${id}: asked for, and lost`);
    check.expect(outcome !== 'fail' || work === undefined, () => `${address} ${id}: refused, and there`);
  }
  const works_ = new Map<string, string>();
  for (const [name, those] of calls) {
    for (const { key } of those) {
      const other = works_.get(key) ?? name;
      check.expect(other === name, () => `key ${key} belongs to ${other} and to ${name}`);
      works_.set(key, name);
    }
    const keys = new Set(those.map((call) => call.key));
    check.expect(keys.size === 1, () => `${name}: called under ${keys.size} keys`);
    check.expect(stored.has(name), () => `${name}: done, and nobody asked for it`);
  }
  for (const { address, id, state, ends } of works) {
    check.expect(state !== 'running' && ends === 1, () => `${address} ${id}: ${state}, told ${ends} ends`);
  }
  return check.done();
}

/** A result is one that a call of the attempt gave which counted, and that attempt is the newest that was ever made. */
export function resultsAreOfTheirAttempt({ works, performed, intents }: RuntimeEvidence): Check {
  const check = new Checking('P2', 'never a result of an old attempt');
  const calls = callsByWork(performed);
  const newest = new Map<string, number>();
  for (const { address, id, attempt } of intents) {
    const name = `${address} ${id}`;
    check.expect(attempt >= (newest.get(name) ?? 0), () => `${name}: attempt ${attempt} behind ${newest.get(name)}`);
    newest.set(name, Math.max(attempt, newest.get(name) ?? 0));
  }
  for (const { address, id, state, attempt, result } of works) {
    const name = `${address} ${id}`;
    if (state !== 'done') continue;
    check.expect(
      attempt === newest.get(name),
      () => `${name}: attempt ${attempt} counted, ${newest.get(name)} was made`,
    );
    const given = (calls.get(name) ?? []).some((call) => call.attempt === attempt && call.result === result);
    check.expect(given, () => `${name}: no call of attempt ${attempt} gave "${result}"`);
  }
  return check.done();
}

/** No call before the commit of its attempt. */
export function workFollowsItsCommit({ performed, intents }: RuntimeEvidence): Check {
  const check = new Checking('C2p', 'no work before its commit');
  const since = new Map<string, number>();
  for (const { address, id, attempt, at } of intents) {
    const name = `${address} ${id} ${attempt}`;
    if (!since.has(name)) since.set(name, at);
  }
  for (const { address, id, attempt, at, node } of performed) {
    const from = since.get(`${address} ${id} ${attempt}`);
    check.expect(
      from !== undefined && from <= at,
      () => `${address} ${id}: ${node} began attempt ${attempt} at ${at}, durable ${from ?? 'never'}`,
    );
  }
  return check.done();
}

/** Work comes under suspicion only where a node that ran it died by its own hand; a kill from outside convicts nobody. */
export function onlyOwnHandsCount({ works, intents, ownHand }: RuntimeEvidence): Check {
  const check = new Checking('P3', 'deaths from outside never count');
  const runners = new Map<string, Set<string>>();
  for (const { address, id, runner, suspect, attempt } of intents) {
    const name = `${address} ${id}`;
    const before = runners.get(name) ?? new Set<string>();
    const guilty = [...before].some((each) => ownHand.has(each));
    check.expect(!suspect || guilty, () => `${name} attempt ${attempt}: suspect, though no runner of it ended itself`);
    runners.set(name, before.add(runner));
  }
  for (const { address, id, failure } of works) {
    if (failure !== 'convicted') continue;
    const guilty = [...(runners.get(`${address} ${id}`) ?? [])].filter((runner) => ownHand.has(runner));
    check.expect(guilty.length >= 3, () => `${address} ${id}: convicted after ${guilty.length} deaths by own hand`);
  }
  return check.done();
}

function callsByWork(calls: readonly PerformedCall[]): ReadonlyMap<string, readonly PerformedCall[]> {
  const byWork = new Map<string, PerformedCall[]>();
  for (const call of calls) {
    const name = `${call.address} ${call.id}`;
    byWork.set(name, [...(byWork.get(name) ?? []), call]);
  }
  return byWork;
}
