/**
 * Blobs in pieces of one row each, stored uncompressed because sealed bytes do not compress. The blob's own row is
 * written first, so that the pieces of an unfinished write can be found; deleting it deletes the pieces.
 */
export const blobs = `-- compatible: tables of blobs and their pieces
CREATE TABLE blobs (
  id text COLLATE "C" PRIMARY KEY,
  finished boolean NOT NULL DEFAULT false,
  pieces integer NOT NULL DEFAULT 0
);
CREATE INDEX blobs_unfinished ON blobs (id) WHERE NOT finished;

CREATE TABLE blob_pieces (
  blob text COLLATE "C" NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  n integer NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (blob, n)
);
ALTER TABLE blob_pieces ALTER COLUMN body SET STORAGE EXTERNAL;
`;
