/** What a sealed value is bound to: whose it is, which object, and what kind of part of it. It opens nowhere else. */
export interface Place {
  readonly account: string;
  readonly object: string;
  readonly kind: string;
}
