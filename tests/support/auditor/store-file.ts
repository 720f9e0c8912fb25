import Database from 'better-sqlite3';
import { StoreView } from './store-view.ts';

/** The auditor's view of a SQLite file. */
export function storeFile(path: string): StoreView {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 250 });
  // The owners are read up to 200 times a second: a statement is prepared once.
  const statements = new Map<string, Database.Statement>();
  const prepared = (sql: string): Database.Statement => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  // One read at a time, because reads share the connection's transaction.
  let tail: Promise<unknown> = Promise.resolve();
  return new StoreView({
    look(read) {
      const look = tail.then(async () => {
        db.exec('BEGIN');
        try {
          return await read(
            async <T>(sql: string, ...values: (string | number)[]) => prepared(sql).all(...values) as T[],
          );
        } finally {
          db.exec('COMMIT');
        }
      });
      tail = look.catch(() => {});
      return look;
    },
    async close() {
      await tail;
      db.close();
    },
  });
}
