/** The moment so many milliseconds later, or earlier. */
export const after = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);
