/** An identifier or an amount that a test makes up, as whatever is asked for. */
export const madeUp = <Branded extends string>(text: string): Branded => text as Branded;
