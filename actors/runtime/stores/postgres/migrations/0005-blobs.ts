/**
 * Large bytes in pieces of one row each, kept as they are: they are sealed, and do not compress. A blob's own row comes
 * first, so that pieces of a write that nobody finished can be found; its removal takes the pieces along.
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
