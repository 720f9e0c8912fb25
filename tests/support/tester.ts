/** The principal of the changes that tests make. */
export const TESTER = { kind: 'operator', id: 'test' } as const;
