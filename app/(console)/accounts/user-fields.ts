/** For the form's sake only: the server's check is the stricter one. */
export const emailFault = (email: string): boolean => !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email);
