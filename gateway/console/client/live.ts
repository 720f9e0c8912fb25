/** Reads of the API that repeat while somebody looks. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFault, addressOf, get, type Query } from './api.ts';

/** After a failed read the next one waits longer, up to this time. */
const RETRY_MS_MAX = 8_000;
const FIRST_RETRY_MS = 500;

/** What a page knows of one address of the API. */
export interface Live<T> {
  /** The newest answer; it stays while the node is away. Null before the first. */
  readonly value: T | null;
  /** ms at which it was read. */
  readonly at: number;
  /** Why the newest read failed; null if it did not. */
  readonly fault: ApiFault | null;
  /** Reads now. */
  readonly refresh: () => void;
}

/** Reads an address, and again every `everyMs`, or once for null. It rests while the page is hidden. */
export function useLive<T>(path: string, query: Query = {}, everyMs: number | null = 2_000): Live<T> {
  const address = addressOf(path, query);
  const [state, setState] = useState<{ address: string; value: T | null; at: number; fault: ApiFault | null }>({
    address,
    value: null,
    at: 0,
    fault: null,
  });
  const wake = useRef<() => void>(() => {});
  useEffect(() => {
    const reader = new RepeatedRead<T>(address, everyMs, (value, fault) =>
      setState((old) => ({
        address,
        value: value ?? (old.address === address ? old.value : null),
        at: value === null ? old.at : Date.now(),
        fault,
      })),
    );
    wake.current = () => reader.wake();
    return () => reader.stop();
  }, [address, everyMs]);
  const isOld = state.address !== address;
  return {
    value: isOld ? null : state.value,
    at: state.at,
    fault: isOld ? null : state.fault,
    refresh: () => wake.current(),
  };
}

/** One repeating read. */
class RepeatedRead<T> {
  readonly #address: string;
  readonly #everyMs: number | null;
  readonly #see: (value: T | null, fault: ApiFault | null) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #stopped = false;
  #reading = false;
  /** Asked for while a read was under way, which may have missed what it is about. */
  #again = false;

  constructor(address: string, everyMs: number | null, see: (value: T | null, fault: ApiFault | null) => void) {
    this.#address = address;
    this.#everyMs = everyMs;
    this.#see = see;
    document.addEventListener('visibilitychange', this.#shown);
    void this.#read();
  }

  wake(): void {
    clearTimeout(this.#timer);
    void this.#read();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#shown);
  }

  readonly #shown = (): void => {
    if (!document.hidden) this.wake();
  };

  async #read(): Promise<void> {
    if (this.#reading) this.#again = true;
    if (this.#stopped || this.#reading) return;
    this.#reading = true;
    const fault = await this.#once();
    this.#reading = false;
    if (this.#stopped || document.hidden) return;
    if (this.#again && fault === null) {
      this.#again = false;
      return this.#read();
    }
    const waitMs = this.#nextMs(fault);
    if (waitMs !== null) this.#timer = setTimeout(() => void this.#read(), waitMs);
  }

  async #once(): Promise<ApiFault | null> {
    try {
      const value = await get<T>(this.#address);
      if (!this.#stopped) this.#see(value, null);
      return null;
    } catch (error) {
      const fault = error instanceof ApiFault ? error : new ApiFault(0, 'failed', String(error));
      if (!this.#stopped) this.#see(null, fault);
      return fault;
    }
  }

  /** Null: it is not read again. A refusal that stays is not repeated. */
  #nextMs(fault: ApiFault | null): number | null {
    if (fault === null) {
      this.#retryMs = FIRST_RETRY_MS;
      return this.#everyMs;
    }
    if (fault.status !== 0 && fault.status < 500) return null;
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    return waitMs;
  }
}
