/** `cacheWrite1hPrice` -> `cache_write_1h_price`. */
export const snakeCase = (name: string): string => name.replace(/([a-z])([A-Z0-9])/g, "$1_$2").toLowerCase();
