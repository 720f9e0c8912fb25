import { kindOf } from '../../../actors/runtime/index.ts';
import { type Check, Checking } from './check.ts';
import type { ActivityCall, RuntimeEvidence } from './runtime-evidence.ts';

/** A requested activity runs at least once, always under its own key, and ends once for its actor. */
export function workIsDone({ jobs, works, activityCalls }: RuntimeEvidence): Check {
  const check = new Checking('rule N14', 'activities: at least once, one key, one end');
  const stored = new Map(works.map((work) => [`${work.address} ${work.id}`, work]));
  const calls = callsByWork(activityCalls);
  for (const { address, id, outcome } of jobs) {
    const work = stored.get(`${address} ${id}`);
    check.expect(outcome !== 'ok' || work !== undefined, () => `${address} ${id}: requested, but lost`);
    check.expect(outcome !== 'fail' || work === undefined, () => `${address} ${id}: refused, but stored`);
  }
  const owners = new Map<string, string>();
  for (const [name, those] of calls) {
    for (const { key } of those) {
      const other = owners.get(key) ?? name;
      check.expect(other === name, () => `key ${key} belongs to ${other} and to ${name}`);
      owners.set(key, name);
    }
    const keys = new Set(those.map((call) => call.key));
    check.expect(keys.size === 1, () => `${name}: called under ${keys.size} keys`);
    check.expect(stored.has(name), () => `${name}: done, but never requested`);
  }
  for (const { address, id, state, ends } of works) {
    check.expect(state !== 'running' && ends === 1, () => `${address} ${id}: ${state}, received ${ends} ends`);
  }
  return check.done();
}

/** A result comes from a call of the counted attempt, and that attempt is the latest one. */
export function resultsAreOfTheirAttempt({ works, activityCalls, activityRecords }: RuntimeEvidence): Check {
  const check = new Checking('rule N15', 'no result of an old attempt');
  const calls = callsByWork(activityCalls);
  const newest = new Map<string, number>();
  for (const { address, id, attempt } of activityRecords) {
    const name = `${address} ${id}`;
    check.expect(attempt >= (newest.get(name) ?? 0), () => `${name}: attempt ${attempt} after ${newest.get(name)}`);
    newest.set(name, Math.max(attempt, newest.get(name) ?? 0));
  }
  for (const { address, id, state, attempt, result } of works) {
    const name = `${address} ${id}`;
    if (state !== 'done') continue;
    check.expect(
      attempt === newest.get(name),
      () => `${name}: attempt ${attempt} counted, ${newest.get(name)} is the latest`,
    );
    const given = (calls.get(name) ?? []).some((call) => call.attempt === attempt && call.result === result);
    check.expect(given, () => `${name}: no call of attempt ${attempt} returned "${result}"`);
  }
  return check.done();
}

/** An actor knows each attempt of its activity from the commit that creates it, where its kind records attempts. */
export function actorsKnowTheirAttempts({ works, activityRecords }: RuntimeEvidence): Check {
  const check = new Checking('rule N17', 'an actor knows every attempt of its activity');
  const known = new Map(works.map(({ address, id, attempts }) => [`${address} ${id}`, attempts]));
  const recording = new Set(works.map(({ address }) => kindOf(address)));
  for (const { address, id, attempt } of activityRecords) {
    if (!recording.has(kindOf(address))) continue;
    const name = `${address} ${id}`;
    const attempts = known.get(name);
    check.expect(attempts?.includes(attempt) ?? false, () => `${name}: attempt ${attempt}, known are ${attempts}`);
  }
  return check.done();
}

/** No activity call starts before the commit of its attempt. */
export function workFollowsItsCommit({ activityCalls, activityRecords }: RuntimeEvidence): Check {
  const check = new Checking('rule N6', 'no activity before its commit');
  const since = new Map<string, number>();
  for (const { address, id, attempt, begun, at } of activityRecords) {
    const name = `${address} ${id} ${attempt}`;
    if (begun && !since.has(name)) since.set(name, at);
  }
  for (const { address, id, attempt, at, node } of activityCalls) {
    const from = since.get(`${address} ${id} ${attempt}`);
    check.expect(
      from !== undefined && from <= at,
      () => `${address} ${id}: ${node} began attempt ${attempt} at ${at}, durable ${from ?? 'never'}`,
    );
  }
  return check.done();
}

/** An activity becomes suspect only after a crash of a node that had begun it; a killed node never counts. */
export function onlyCrashesCount({ works, activityRecords, crashed }: RuntimeEvidence): Check {
  const check = new Checking('rule N16', 'killed nodes never count');
  const runners = new Map<string, Set<string>>();
  for (const { address, id, runner, begun, suspect, attempt } of activityRecords) {
    const name = `${address} ${id}`;
    const before = runners.get(name) ?? new Set<string>();
    const guilty = [...before].some((each) => crashed.has(each));
    check.expect(!suspect || guilty, () => `${name} attempt ${attempt}: suspect, but no runner of it crashed`);
    runners.set(name, begun ? before.add(runner) : before);
  }
  for (const { address, id, failure } of works) {
    if (failure !== 'poison') continue;
    const guilty = [...(runners.get(`${address} ${id}`) ?? [])].filter((runner) => crashed.has(runner));
    check.expect(guilty.length >= 3, () => `${address} ${id}: failed as poison after ${guilty.length} crashes`);
  }
  return check.done();
}

function callsByWork(calls: readonly ActivityCall[]): ReadonlyMap<string, readonly ActivityCall[]> {
  const byWork = new Map<string, ActivityCall[]>();
  for (const call of calls) {
    const name = `${call.address} ${call.id}`;
    byWork.set(name, [...(byWork.get(name) ?? []), call]);
  }
  return byWork;
}
