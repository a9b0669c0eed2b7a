/** A longer query is cut: words after that would find nothing more. */
export const MAX_QUERY = 100;
