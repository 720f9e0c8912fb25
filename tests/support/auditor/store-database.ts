import pg from 'pg';
import { StoreView } from './store-view.ts';

const INT8_OID = 20;

/** The auditor's view of a PostgreSQL database. Reconnects after a broken connection. */
export function storeDatabase(url: string): StoreView {
  let client: pg.Client | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  async function connected(): Promise<pg.Client> {
    if (client) return client;
    const made = new pg.Client({ connectionString: url, types: { getTypeParser } });
    const ended = (): void => {
      if (client === made) client = null;
    };
    made.on('error', ended);
    made.on('end', ended);
    await made.connect();
    client = made;
    return made;
  }

  return new StoreView({
    look(read) {
      const look = tail.then(async () => {
        const on = await connected();
        await on.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        try {
          return await read(async <T>(sql: string, ...values: (string | number)[]) => {
            let count = 0;
            const numbered = sql.replace(/\?/g, () => `$${++count}`);
            return (await on.query(numbered, values)).rows as T[];
          });
        } finally {
          await on.query('COMMIT');
        }
      });
      tail = look.catch(() => {});
      return look;
    },
    async close() {
      await tail;
      await client?.end();
    },
  });
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text');
}
