/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  // Plain Node packages: bundling them would only make a second copy of each.
  serverExternalPackages: ["postgres", "drizzle-orm", "undici", "pino", "prom-client", "ioredis", "cockatiel", "@node-rs/argon2"],
};

export default config;
