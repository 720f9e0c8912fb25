/** What a node and the process of a query say to each other. */
export interface QueryRequest {
  readonly path: string;
  readonly sql: string;
}

export type QueryAnswer =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[]; readonly cut: boolean }
  | { readonly refused: string };
