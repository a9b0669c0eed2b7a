/** Operations that vendors' SDKs have and the gateway does not serve: the error says why, and what to use instead. */
import type { Texts } from "@/server/base/language";
import { unserved } from "@/server/domain/unserved";

type UnservedRule = { path: RegExp; why: Texts; methods?: readonly string[] };

/** Google's API versions, with the prefix of its uploads. */
const GOOGLE = "^(?:/upload)?/v1(?:alpha|beta1?)";
const below = (names: string) => new RegExp(`^/v1/(?:${names})(?:/|$)`);
const belowGoogle = (names: string) => new RegExp(`${GOOGLE}/(?:${names})(?:/|$)`);

const rules: readonly UnservedRule[] = [
  { path: below("files|uploads"), why: unserved.files },
  { path: belowGoogle("files"), why: unserved.files },
  { path: below("batches|messages/batches"), why: unserved.batches },
  { path: belowGoogle("batches"), why: unserved.batches },
  { path: /:(?:batchGenerateContent|asyncBatchEmbedContent)$/, why: unserved.batches },
  { path: below("assistants|threads|vector_stores|chatkit"), why: unserved.assistants },
  { path: below("realtime"), why: unserved.realtime },
  { path: below("images/variations"), why: unserved.variations },
  { path: below("complete"), why: unserved.textCompletions },
  {
    path: below("fine_tuning|fine-tunes|evals|containers|skills|agents|environments|sessions|organizations?"),
    why: unserved.vendorsOwn,
  },
  { path: belowGoogle("tunedModels|corpora|ragStores|fileSearchStores"), why: unserved.vendorsOwn },
  { path: belowGoogle("interactions"), why: unserved.interactions },
  { path: belowGoogle("cachedContents"), why: unserved.caches },
  { path: /:predictLongRunning$/, why: unserved.longPredictions },
  { path: /^\/v1\/chat\/completions\/[^/]+(?:\/messages)?$/, why: unserved.storedCompletions },
  { path: /^\/v1\/chat\/completions$/, methods: ["GET"], why: unserved.storedCompletions },
  { path: /^\/v1\/models\/[^:]+$/, methods: ["DELETE"], why: unserved.vendorsOwn },
];

/** Why the gateway does not serve a vendor's operation. null: the operation is unknown. */
export const whyUnserved = (method: string, path: string): Texts | null =>
  rules.find((rule) => rule.path.test(path) && (rule.methods === undefined || rule.methods.includes(method)))
    ?.why ?? null;
