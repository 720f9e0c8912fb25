/** SQL on `blobs` and `blob_pieces`. Only finished blobs are visible. The column `pieces` is no longer used. */
export const blobSql = {
  begin: { name: 'blob-begin', text: 'INSERT INTO blobs (id) VALUES ($1)' },
  append: { name: 'blob-append', text: 'INSERT INTO blob_pieces (blob, n, body) VALUES ($1, $2, $3)' },
  finish: { name: 'blob-finish', text: 'UPDATE blobs SET finished = true WHERE id = $1 AND NOT finished' },
  discard: { name: 'blob-discard', text: 'DELETE FROM blobs WHERE id = $1' },
  /** Computes the length without reading the values. */
  find: {
    name: 'blob-find',
    text: `SELECT (SELECT coalesce(sum(octet_length(body)), 0) FROM blob_pieces WHERE blob = $1)::double precision AS bytes
      FROM blobs WHERE id = $1 AND finished`,
  },
  /** Pieces are stored uncompressed (STORAGE EXTERNAL), so only the requested part of a large one is read. */
  part: {
    name: 'blob-part',
    text: 'SELECT substring(body FROM $3::integer FOR $4::integer) AS body FROM blob_pieces WHERE blob = $1 AND n = $2',
  },
  remove: { name: 'blob-remove', text: 'DELETE FROM blobs WHERE id = $1 AND finished' },
  list: {
    name: 'blob-list',
    text: 'SELECT id FROM blobs WHERE finished AND id > $1 AND id < $2 ORDER BY id LIMIT $3',
  },
  sweepUnfinished: {
    name: 'blob-sweep',
    text: `DELETE FROM blobs WHERE id IN
      (SELECT id FROM blobs WHERE NOT finished AND id < $1 ORDER BY id LIMIT $2)`,
  },
} as const;
