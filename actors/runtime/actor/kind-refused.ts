/** A kind that cannot be registered; the message names the kind and the member at fault. */
export class KindRefused extends Error {
  override readonly name = 'KindRefused';
  readonly kind: string;
  constructor(kind: string, reason: string) {
    super(`kind ${kind}: ${reason}`);
    this.kind = kind;
  }
}
