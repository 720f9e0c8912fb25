/** Writes the bits of a NAL unit of H.264: fixed numbers and Exp-Golomb codes, then its trailing bits and escapes. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #filled = 0;

  bits(value: number, count: number): this {
    for (let at = count - 1; at >= 0; at--) {
      this.#current = (this.#current << 1) | (Math.floor(value / 2 ** at) & 1);
      if (++this.#filled === 8) this.#flush();
    }
    return this;
  }

  /** Unsigned Exp-Golomb. */
  ue(value: number): this {
    const length = Math.floor(Math.log2(value + 1));
    return this.bits(0, length).bits(value + 1, length + 1);
  }

  /** Signed Exp-Golomb. */
  se(value: number): this {
    return this.ue(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Zero bits up to the next whole byte, then bytes as they are. */
  raw(bytes: Uint8Array): this {
    while (this.#filled > 0) this.bits(0, 1);
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** The whole unit after its header byte, with an escape where three bytes would look like a start code. */
  unit(header: number): Buffer {
    this.bits(1, 1).raw(new Uint8Array(0));
    const escaped = [header];
    let zeros = 0;
    for (const byte of this.#bytes) {
      if (zeros >= 2 && byte <= 3) {
        escaped.push(3);
        zeros = 0;
      }
      escaped.push(byte);
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return Buffer.from(escaped);
  }

  #flush(): void {
    this.#bytes.push(this.#current);
    this.#current = 0;
    this.#filled = 0;
  }
}
