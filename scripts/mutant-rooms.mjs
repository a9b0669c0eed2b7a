// What `npm run test:mutants` changes, and which integration and contract tests exercise it. Unit tests are found by
// their imports. A name may end in `*`; one that no revision at hand has is passed over.

export const ROOMS = {
  billing: {
    sources: "server/billing/**/*.ts",
    integration: `
      escrow* freezing kept-charges key-cap late-captures ledger-archive ledger-laws
      ledger-verify ledger-years overspend prices redeem-codes refunds settle-once spend statements`,
    contract: "above-hold calls cost kept-charges key-cap lost-holds paid-bodies",
  },
  access: {
    sources: "server/access/**/*.ts",
    integration: `
      access-races console-access console-keys console-security erasure idempotent-calls
      key-rotation keys notifications second-factor secrets sign-in user*`,
    contract: "access admin-access idempotency limits model-scope operator playground token-limit",
  },
  channels: {
    sources: "server/channels/**/*.ts",
    integration: "catalog channel-* console-changes operator-edit secrets",
    contract: `
      breakers call-lines channel-states chat credential-echo failover hedging operator-channels other-model repeats
      routing shared-health stream-life streams`,
  },
  videos: {
    sources: "server/videos/**/*.ts",
    integration: "console-calls secrets video-* videos",
    contract:
      "calls-videos key-cap openai-videos operator-videos video-adapters video-files video-orders videos*",
  },
  usage: {
    sources: "server/protocol/{usage,*/usage*}.ts",
    integration: "",
    contract: `
      absurd-counts chat cost embeddings gemini gemini-upstream messages responses responses-upstream streams
      token-counts`,
  },
};

/** Tables and lists of exports have no rule of their own. */
export const isSource = (path) => !/\.test\.ts$|\/(?:schema|index)\.ts$/.test(path);
