/** Facts of this installation for its documentation, which is public: nothing here may need a key. */
import { getRuntime } from "@/server/runtime/shared-runtime";
import { describeInstallation } from "./installation";

/** The models of the examples in files, with what a model needs to take their place. */
const examples = [
  { id: "sandbox-chat", kind: "chat" },
  { id: "sandbox-reasoner", kind: "chat", hasThinking: true },
  { id: "sandbox-embedding", kind: "embedding" },
  { id: "sandbox-video-turbo", kind: "video" },
] as const;

/** Examples have a model's name within a text of their language. */
const NEEDS_NO_QUOTING = /^[\w.:/@-]+$/;

export type Documented = {
  /** Without `/v1`. */
  baseUrl: string;
  currency: string;
  billingTimeZone: string;
  limits: Record<
    | "requestLogDays"
    | "responseDays"
    | "firstByteSeconds"
    | "silenceSeconds"
    | "videoMinutes"
    | "videoCallsPerMinute",
    number
  >;
  /** By the sandbox's model of an example: the model on sale that examples call here. A sandbox on sale stays. */
  models: ReadonlyMap<string, string>;
};

async function modelsOfExamples(): Promise<Documented["models"]> {
  const { catalog, channels } = await getRuntime();
  const [models, served] = await Promise.all([catalog.list(), channels.servedModels()]);
  const sold = models.filter(({ id }) => served.has(id) && NEEDS_NO_QUOTING.test(id));
  return new Map(
    examples.flatMap((example): [string, string][] => {
      const fits = sold.filter(({ kind }) => kind === example.kind);
      const thinks = fits.filter(({ hasThinking }) => "hasThinking" in example && hasThinking);
      const found = fits.find(({ id }) => id === example.id) ?? thinks[0] ?? fits[0];
      return found ? [[example.id, found.id]] : [];
    }),
  );
}

export async function describeForDocs(): Promise<Documented> {
  const { config } = await getRuntime();
  const [{ baseUrl, currency, billingTimeZone, requestLogDays }, models] = await Promise.all([
    describeInstallation(),
    modelsOfExamples(),
  ]);
  const limits = {
    requestLogDays,
    responseDays: config.RESPONSES_RETENTION_DAYS,
    firstByteSeconds: config.UPSTREAM_TIMEOUT_SECONDS,
    silenceSeconds: config.UPSTREAM_IDLE_TIMEOUT_SECONDS,
    videoMinutes: config.VIDEO_TIMEOUT_SECONDS / 60,
    videoCallsPerMinute: config.VIDEO_RATE_LIMIT_PER_MINUTE,
  };
  return { baseUrl, currency, billingTimeZone, limits, models };
}
