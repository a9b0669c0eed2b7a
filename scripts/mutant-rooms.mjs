// The sources that `npm run test:mutants` changes, and the integration and contract tests for them. Unit tests are
// found by their imports. A name may end in `*`, and a name without a file is an error. `gone`: files that no longer
// exist; `--tests-from` runs those of them that its revision has.

export const ROOMS = {
  billing: {
    sources: "server/billing/**/*.ts",
    integration: `
      carry-over escrow* freezing kept-charges key-cap late-captures ledger-archive ledger-laws
      ledger-verify ledger-years overspend prices redeem-codes refunds settle-once spend statements`,
    contract: "above-hold calls cost kept-charges key-cap lost-holds paid-*",
    gone: { integration: "console-billing margin usage*" },
  },
  access: {
    sources: "server/access/**/*.ts",
    integration: `
      access-races console-access console-keys console-security erasure idempotent-calls
      key-rotation keys notifications second-factor secrets sign-in user*`,
    contract: "access admin-access idempotency limits model-scope operator playground token-limit",
    gone: { integration: "console-account-users mail provider-identities" },
  },
  channels: {
    sources: "server/channels/**/*.ts",
    integration: "catalog channel-* console-changes operator-edit secrets",
    contract: `
      call-lines channel-states chat credential-echo failover hedging operator other-model routing shared-health
      stream-life streams`,
    gone: { integration: "console-channels", contract: "breakers operator-channels repeats" },
  },
  videos: {
    sources: "server/videos/**/*.ts",
    integration: "channel-test console-calls secrets video-* videos",
    contract: "key-cap openai-videos operation-doors video-adapters video-files videos*",
    gone: { integration: "console-videos", contract: "calls-videos operator-videos video-orders" },
  },
  usage: {
    sources: "server/protocol/{usage,*/usage*}.ts",
    integration: "",
    contract: `
      chat cost embeddings failover forwarded gemini messages responses responses-upstream streams`,
    gone: { contract: "absurd-counts gemini-upstream token-counts" },
  },
};

/** Whether a file has code to change: schemas and lists of exports have none. */
export const isSource = (path) => !/\.test\.ts$|\/(?:schema|index)\.ts$/.test(path);
