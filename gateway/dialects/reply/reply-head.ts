/** What stands on every reply and every chunk of one generation. `created` is Unix seconds; `provider` a display name. */
export interface ReplyHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly provider: string;
}
