/** The result of a sign-in: the secret of a new session, or the reason of its refusal. */
export type Opened = { readonly secret: string } | { readonly problem: string };
