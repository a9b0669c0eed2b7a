/** Time as an argument, so that a test can stand at a month's end. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
