/** A sealed value was changed, truncated, reordered or moved from another place. No part of it is used. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  constructor(fault: string) {
    super(`a sealed value does not open: ${fault}`);
  }
}
