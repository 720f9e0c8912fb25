import { request } from 'node:http';

export interface FromAddress {
  /** Local address of the connection, such as 127.0.0.2. */
  readonly from?: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** One request from a client address of choice: all of 127.0.0.0/8 is loopback. The path is sent as it is. */
export function requestFrom(base: string, path: string, options: FromAddress = {}): Promise<Answered> {
  const { from, method = 'GET', headers = {}, body } = options;
  const { hostname, port, pathname } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ hostname, port, path: `${pathname}${path}`, method, headers, agent: false },
      ...(from === undefined ? {} : { localAddress: from }),
    });
    sent.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
