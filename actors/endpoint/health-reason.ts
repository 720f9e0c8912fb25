/** The facts about an endpoint's health in sentences: the one that decided, the model list, and the last failure. Pure. */
import type { DatedFailure } from '../terms/endpoint.ts';
import { type FailingList, isContradicted, isOutranked, judge, type Observed, successesIn } from './health.ts';

/** The fact that decided the health. */
export function healthReason(observed: Observed): string {
  const { recent, by, list } = observed;
  const decided = judge(observed);
  if (decided.by === 'list' && list !== null) return `${listSentence(list)}; 2 in a row make it degraded, 4 down.`;
  const attempts = recent.length === 1 ? '1 attempt was' : `${recent.length} attempts were`;
  if (decided.by === 'few') return `Only ${attempts} counted; health is judged from 5 on.`;
  const share = `${successesIn(recent)} of its newest ${recent.length} attempts succeeded`;
  if (decided.health === 'degraded' && isContradicted(recent, by)) {
    return `${share}, and all failures are of one account while others are answered (60 % is degraded).`;
  }
  return `${share} (90 % is healthy, 60 % degraded).`;
}

/** What the model list does where it did not decide. */
export function explainList(observed: Observed): readonly string[] {
  const { list, servedAt } = observed;
  if (list === null || judge(observed).by === 'list') return [];
  if (servedAt !== null && list.times > 1 && isOutranked(list, servedAt)) {
    return [`${listSentence(list)}. A paid request was answered at ${isoTime(servedAt)}, which outranks it.`];
  }
  return [`${listSentence(list)}; that lowers no health now.`];
}

export interface FailureState {
  readonly lastFailure: DatedFailure | null;
  readonly servedAt: number | null;
}

/** `where`: of a request that failed at one of several endpoints. */
export function explainFailure({ lastFailure, servedAt }: FailureState, where = ''): readonly string[] {
  if (lastFailure === null) return [];
  const { at, since, category, text } = lastFailure;
  const first = since < at ? `, first at ${isoTime(since)}` : '';
  const served = servedAt !== null && servedAt > at ? ` It answered again at ${isoTime(servedAt)}.` : '';
  return [`The last failure of a request${where} was at ${isoTime(at)}${first}: ${category}, ${text}.${served}`];
}

function listSentence(list: FailingList): string {
  return `Its provider's model list ${listText(list)}`;
}

export function listText({ times, since, at, text }: FailingList): string {
  const often = times === 1 ? 'failed' : `failed ${times} times in a row since ${isoTime(since)}, last`;
  return `${often} at ${isoTime(at)}: ${text}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
