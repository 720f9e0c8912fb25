/** A sealed value that is not what was sealed here: changed, cut, reordered, or another place's. Nothing of it is used. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  constructor(fault: string) {
    super(`a sealed value does not open: ${fault}`);
  }
}
