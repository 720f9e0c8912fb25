/** A stored snapshot that this build's chart cannot restore unchanged. Loading it anyway would invent state. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  readonly address: string;
  constructor(address: string, reason: string) {
    super(`${address} cannot be restored: ${reason}`);
    this.address = address;
  }
}
