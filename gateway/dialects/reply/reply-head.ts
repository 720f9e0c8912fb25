/** Members of every reply and chunk of one generation. `created` is Unix seconds; `provider` is a display name. */
export interface ReplyHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly provider: string;
}
