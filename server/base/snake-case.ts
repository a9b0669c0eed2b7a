/** `requestId` -> `request_id`, `last1h` -> `last_1h`. */
export const snakeCase = (name: string): string => name.replace(/([a-z])([A-Z0-9])/g, "$1_$2").toLowerCase();
