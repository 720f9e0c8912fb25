import { IncomingMessage } from 'node:http';

/**
 * The class of a server's requests. Node hands a connection over as soon as a request offers any upgrade and a listener
 * for upgrades exists, and then parses no body; clients of HTTP/2 make that offer with every request. Here a request
 * counts as an upgrade only where it offers a WebSocket and `mayUpgrade` takes it, so all others are served as before.
 */
export function upgradableRequest(mayUpgrade: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  return class UpgradableRequest extends IncomingMessage {
    /** Declared only: the constructor of the base class writes `upgrade` before any field of this one exists. */
    declare private offers: boolean;

    /** Node sets it before the headers are known, and reads it afterwards. */
    set upgrade(offers: boolean) {
      this.offers = offers;
    }

    get upgrade(): boolean {
      if (!this.offers) return false;
      return this.method === 'CONNECT' || (offersWebSocket(this) && mayUpgrade(this));
    }
  };
}

function offersWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
