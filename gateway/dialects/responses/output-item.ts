import type { EventWriter } from './held-events.ts';

/** How an item of the output ended, or that it has not. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** One item of the output while it is being written. */
export interface OutputItem {
  /** The frames that complete the item. Called once. */
  close(status: ItemStatus): string;
  /** The item as it stands, as JSON. */
  json(status: ItemStatus): string;
}

/** Where an item stands: its id, and its index in the output. */
export interface ItemPlace {
  readonly id: string;
  readonly index: number;
}

/** The frame that ends an item; `json` is the whole item. */
export function itemDone(writer: EventWriter, { index }: ItemPlace, json: string): string {
  return writer.write('response.output_item.done', `,"output_index":${index},"item":${json}`);
}

/** The members that name an item in its events, as JSON text. */
export function placeText({ id, index }: ItemPlace): string {
  return `,"item_id":"${id}","output_index":${index}`;
}
