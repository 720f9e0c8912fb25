import { generate } from 'selfsigned';
import type { Identity } from '../../actors/runtime/ports/transport.ts';

interface Wanted {
  /** Subject alternative names (DNS). */
  readonly names: readonly string[];
  readonly from?: Date;
  readonly until?: Date;
}

const DAY_MS = 86_400_000;

/** A certificate authority for one test, in memory only. */
export class Authority {
  readonly certificate: string;
  readonly #key: string;

  private constructor(certificate: string, key: string) {
    this.certificate = certificate;
    this.#key = key;
  }

  static async make(name = 'test authority'): Promise<Authority> {
    const made = await generate([{ name: 'commonName', value: name }], {
      ...{ keyType: 'ec', algorithm: 'sha256', notAfterDate: new Date(Date.now() + DAY_MS) },
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority(made.cert, made.private);
  }

  /** Certificate and key for these names; `ca` is this authority. */
  async issue({ names, from, until }: Wanted): Promise<Identity> {
    const made = await generate([{ name: 'commonName', value: names[0] ?? 'nobody' }], {
      ...{ keyType: 'ec', algorithm: 'sha256' },
      notBeforeDate: from ?? new Date(Date.now() - DAY_MS),
      notAfterDate: until ?? new Date(Date.now() + DAY_MS),
      ca: { key: this.#key, cert: this.certificate },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
      ],
    });
    return { ca: this.certificate, certificate: made.cert, key: made.private };
  }
}
