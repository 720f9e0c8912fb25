/**
 * What a sealed value is bound to: its account, its object, and its kind within the object. It opens at no other place.
 */
export interface Place {
  readonly account: string;
  readonly object: string;
  readonly kind: string;
}
