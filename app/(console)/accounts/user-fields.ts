/** A quick check for the form; the server's check is stricter. */
export const emailFault = (email: string): boolean => !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email);
