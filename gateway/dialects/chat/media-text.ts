import type { Citation, TurnEvent } from '../../terms/turn-event.ts';
import { citationMembers } from '../reply/citation-members.ts';
import type { Logprobs } from '../reply/gather-answer.ts';

type Image = Extract<TurnEvent, { type: 'image' }>;
type Speech = Extract<TurnEvent, { type: 'audio-delta' }>;

/** One entry of `images`. */
export function imageText({ url, index }: Omit<Image, 'type'>): string {
  return `{"type":"image_url","image_url":{"url":${JSON.stringify(url)}},"index":${index}}`;
}

/** The member `audio`, whole or a fragment of it, with the reported members only. */
export function audioText({ id, data, transcript, expiresAt }: Omit<Speech, 'type'>): string {
  return JSON.stringify({ id, data, expires_at: expiresAt, transcript });
}

/** One entry of `annotations`. */
export function annotationText(citation: Citation): string {
  return JSON.stringify({ type: 'url_citation', url_citation: citationMembers(citation) });
}

/** The member `logprobs` of a choice; both lists are always present. */
export function logprobsText({ content, refusal }: Logprobs): string {
  return JSON.stringify({ content, refusal });
}
