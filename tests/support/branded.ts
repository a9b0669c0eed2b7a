/** An identifier or amount that a test invents, as the required branded type. */
export const branded = <Branded extends string>(text: string): Branded => text as Branded;
