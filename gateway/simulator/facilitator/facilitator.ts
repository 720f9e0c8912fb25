/**
 * A simulated x402 facilitator: `GET /supported`, `POST /verify`, `POST /settle` and `GET /settlements/...`. Faults are
 * asked for by the payment itself, in `extensions.simulator` of its payload: `{"fault": NAME, "times": N}`. It shares no
 * code with the service that it serves. No coin moves.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ledger, type Settled } from './ledger.ts';

interface FacilitatorSimulatorOptions {
  /** What callers have to send as their bearer token. */
  readonly secret: string;
  /** 0 or absent selects a free port. */
  readonly port?: number;
  /** File that outlives the process; absent: settled payments are forgotten at its end. */
  readonly ledger?: string;
}

/** One question, for tests. */
interface FacilitatorCall {
  readonly path: string;
  readonly nonce: string;
}

export interface FacilitatorSimulator {
  readonly port: number;
  readonly url: string;
  readonly calls: readonly FacilitatorCall[];
  readonly settled: readonly Settled[];
  close(): Promise<void>;
}

/**
 * - `invalid`, `declined`: refused by `/verify`, or by `/settle`.
 * - `hang`: `/settle` does nothing and never answers.
 * - `error`: `/settle` does nothing and answers 500.
 * - `lost`: `/settle` settles and the connection breaks before its answer.
 * - `unconfirmed`: `/settle` settles and answers as if its transaction had not been confirmed.
 * - `same-transaction`: `/settle` names one and the same transaction for all payments.
 */
const FAULTS = ['invalid', 'declined', 'hang', 'error', 'lost', 'unconfirmed', 'same-transaction'] as const;
type Fault = (typeof FAULTS)[number];

interface Payment {
  readonly network: string;
  readonly payer: string;
  readonly nonce: string;
  readonly amount: string;
  readonly signature: string;
  readonly validBefore: number;
  readonly fault: Fault | null;
  readonly times: number;
}

const BODY_BYTES_MAX = 64 * 1024;
const SAME_TRANSACTION = `0x${'5a'.repeat(32)}`;
/** Calls and fault counts that are kept. */
const KEPT_MAX = 100_000;

export async function startFacilitator(options: FacilitatorSimulatorOptions): Promise<FacilitatorSimulator> {
  const site = new Site(options);
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => site.answer(request, response));
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(options.port ?? 0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    calls: site.calls,
    get settled() {
      return site.ledger.all;
    },
    close: () => closed(server),
  };
}

class Site {
  readonly calls: FacilitatorCall[] = [];
  readonly ledger: Ledger;
  readonly #secret: string;
  /** How often each payment has met its fault. */
  readonly #met = new Map<string, number>();

  constructor({ secret, ledger }: FacilitatorSimulatorOptions) {
    if (secret === '') throw new Error('a facilitator needs a secret');
    this.#secret = secret;
    this.ledger = new Ledger(ledger ?? null);
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '' } = request;
    const isKnown = request.headers.authorization === `Bearer ${this.#secret}`;
    if (!isKnown) send(response, 401, { error: 'unauthorized' });
    else if (method === 'GET' && url === '/supported') send(response, 200, SUPPORTED);
    else if (method === 'GET' && url.startsWith('/settlements/')) this.#find(url, response);
    else if (method === 'POST' && (url === '/verify' || url === '/settle')) this.#read(request, response, url);
    else send(response, 404, { error: 'no such route' });
  }

  #read(request: IncomingMessage, response: ServerResponse, path: string): void {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > BODY_BYTES_MAX) request.destroy();
      else pieces.push(piece);
    });
    request.on('end', () => {
      const payment = paymentIn(Buffer.concat(pieces).toString());
      if (payment !== null) this.#note(path, payment.nonce);
      if (payment === null) send(response, 400, { error: 'malformed' });
      else if (path === '/verify') send(response, 200, this.#verify(payment));
      else this.#settle(payment, response);
    });
  }

  #verify(payment: Payment): object {
    const { payer } = payment;
    const invalidReason = reasonAgainst(payment) ?? (this.#meets(payment, 'invalid') ? 'invalid_signature' : null);
    return invalidReason === null ? { isValid: true, payer } : { isValid: false, invalidReason, payer };
  }

  #settle(payment: Payment, response: ServerResponse): void {
    const { network, payer, nonce, fault } = payment;
    const failed = (errorReason: string, transaction = ''): object => ({
      success: false,
      errorReason,
      transaction,
      network,
      payer,
    });
    const reason = this.ledger.find(network, payer, nonce) === null ? reasonAgainst(payment) : null;
    if (reason !== null) send(response, 200, failed(reason));
    else if (this.#meets(payment, 'declined')) send(response, 200, failed('insufficient_funds'));
    else if (this.#meets(payment, 'error')) send(response, 500, { error: 'simulated' });
    else if (!this.#meets(payment, 'hang')) {
      const settled = this.ledger.settle(payment, fault === 'same-transaction' ? SAME_TRANSACTION : null);
      if (this.#meets(payment, 'lost')) response.destroy();
      else if (this.#meets(payment, 'unconfirmed')) {
        send(response, 200, failed('transaction_not_confirmed', settled.transaction));
      } else send(response, 200, settlementOf(settled));
    }
  }

  #find(url: string, response: ServerResponse): void {
    const [network = '', payer = '', nonce = ''] = url.split('/').slice(2).map(decodeURIComponent);
    this.#note('/settlements', nonce);
    const settled = this.ledger.find(network, payer, nonce);
    send(response, 200, settled === null ? { state: 'none' } : { state: 'settled', settlement: settlementOf(settled) });
  }

  /** True as often as the payment asks for its fault. */
  #meets({ fault, nonce, times }: Payment, here: Fault): boolean {
    if (fault !== here) return false;
    const met = this.#met.get(nonce) ?? 0;
    if (met >= times || this.#met.size > KEPT_MAX) return false;
    this.#met.set(nonce, met + 1);
    return true;
  }

  #note(path: string, nonce: string): void {
    if (this.calls.length < KEPT_MAX) this.calls.push({ path, nonce });
  }
}

const SUPPORTED = {
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }],
  extensions: [],
  signers: {},
};

function reasonAgainst({ signature, validBefore }: Payment): string | null {
  // The signature of the demo: 65 bytes, of which the last tells it from a damaged one.
  if (!/^0x[0-9a-f]{128}1b$/i.test(signature)) return 'invalid_signature';
  return validBefore * 1_000 > Date.now() ? null : 'authorization_expired';
}

function settlementOf({ transaction, network, payer }: Settled): object {
  return { success: true, transaction, network, payer };
}

interface Asked {
  readonly paymentPayload: {
    readonly payload: {
      readonly signature: string;
      readonly authorization: Readonly<Record<'from' | 'value' | 'nonce' | 'validBefore', string>>;
    };
    readonly extensions?: { readonly simulator?: { readonly fault?: Fault; readonly times?: number } };
  };
  readonly paymentRequirements: { readonly network: string };
}

function paymentIn(text: string): Payment | null {
  try {
    const { paymentPayload, paymentRequirements } = JSON.parse(text) as Asked;
    const { signature, authorization } = paymentPayload.payload;
    const { from: payer, nonce, value: amount, validBefore } = authorization;
    const { fault, times = 1 } = paymentPayload.extensions?.simulator ?? {};
    const known = FAULTS.find((one) => one === fault) ?? null;
    const { network } = paymentRequirements;
    return { network, payer, nonce, amount, signature, validBefore: Number(validBefore), fault: known, times };
  } catch {
    return null;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
