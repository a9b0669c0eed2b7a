import { GatewayError } from "@/server/base/errors";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { Model } from "@/server/catalog";
import type { AuthedCall, OpenCall } from "./call";
import type { EndpointDeps } from "./endpoint";
import type { GatewayDeps } from "./paid-call";
import { behindModels } from "./path-model";
import { headersWithQueryKey } from "./query-key";

type Served = Pick<GatewayDeps, "catalog" | "channels">;
type ModelDeps = Served & Pick<EndpointDeps, "access">;

/** The models that the offered key may call; empty: any. The list needs no key, so one that is unknown is none. */
async function scopeOf({ access }: ModelDeps, { request }: OpenCall): Promise<readonly string[]> {
  try {
    return (await access.identify(headersWithQueryKey(request))).models;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      return [];
    }
    throw error;
  }
}

/** What is on sale and an enabled channel serves: anything else could only be refused. */
async function listServed(deps: ModelDeps, call: OpenCall): Promise<Model[]> {
  const { catalog, channels } = deps;
  const [models, served, scope] = await Promise.all([
    catalog.list(),
    channels.servedModels(),
    scopeOf(deps, call),
  ]);
  return models.filter(({ id }) => served.has(id) && (scope.length === 0 || scope.includes(id)));
}

/** OpenAI's own for calls that name none. */
const USUAL_MODERATION = "omni-moderation-latest";

/** The model of a call for moderation that names none: OpenAI's usual one, else the first by name. null: there is none. */
export async function usualModeration(deps: Served, { caller }: AuthedCall): Promise<string | null> {
  const [models, served] = await Promise.all([deps.catalog.list(), deps.channels.servedModels()]);
  const names = models
    .filter(({ id, kind }) => kind === "moderation" && served.has(id))
    .map(({ id }) => id)
    .filter((id) => caller.models.length === 0 || caller.models.includes(id))
    .sort();
  return names.includes(USUAL_MODERATION) ? USUAL_MODERATION : (names[0] ?? null);
}

const openaiForm = (model: Model) => ({
  id: model.id,
  object: "model",
  created: Math.floor(model.createdAt.getTime() / 1000),
  owned_by: model.ownedBy,
});

const anthropicForm = (model: Model) => ({
  type: "model",
  id: model.id,
  display_name: model.id,
  created_at: model.createdAt.toISOString(),
});

/** Anthropic's clients say their version with every call, and read another form. */
const isAnthropic = ({ request }: OpenCall): boolean => request.headers.has("anthropic-version");

/** What Google's API calls with models of each kind. */
const methods: Partial<Record<Model["kind"], string[]>> = {
  chat: ["generateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
  image: ["predict"],
};

const googleForm = (model: Model) => ({
  name: `models/${model.id}`,
  baseModelId: model.id,
  version: "001",
  displayName: model.id,
  description: model.id,
  ...(model.kind === "chat" && { outputTokenLimit: model.maxOutputTokens }),
  supportedGenerationMethods: methods[model.kind] ?? [],
});

/** Google's clients have versions of their own, or say whose key they bring, and read a third form. */
function isGoogle({ request }: OpenCall): boolean {
  const { pathname, search } = new URL(request.url);
  const query = new URLSearchParams(search);
  return !pathname.startsWith("/v1/") || request.headers.has("x-goog-api-key") || query.has("key");
}

const GOOGLE_PAGE = 50;

/** A page of Google's list: `pageSize`, and `pageToken`, which is the last model of the page before. */
function googlePage(models: Model[], query: URLSearchParams) {
  const asked = Number(query.get("pageSize") ?? GOOGLE_PAGE);
  const size = Number.isInteger(asked) && asked > 0 ? Math.min(asked, MAX_PAGE) : GOOGLE_PAGE;
  const after = Buffer.from(query.get("pageToken") ?? "", "base64url").toString("utf8");
  const from = models.findIndex(({ id }) => id === after) + 1;
  const page = models.slice(from, from + size);
  const last = from + size < models.length ? page.at(-1) : undefined;
  return {
    models: page.map(googleForm),
    ...(last && { nextPageToken: Buffer.from(last.id).toString("base64url") }),
  };
}

const USUAL_PAGE = 20;
const MAX_PAGE = 1_000;

/** A page of Anthropic's list: `limit`, `after_id` or `before_id`. */
function pageOf(models: Model[], query: URLSearchParams) {
  const asked = Number(query.get("limit") ?? USUAL_PAGE);
  const limit = Math.min(Math.max(Number.isInteger(asked) ? asked : USUAL_PAGE, 1), MAX_PAGE);
  const placeOf = (name: string) => models.findIndex(({ id }) => id === query.get(name));
  const before = placeOf("before_id");
  const from = before === -1 ? placeOf("after_id") + 1 : Math.max(0, before - limit);
  const until = before === -1 ? from + limit : before;
  const page = models.slice(from, until);
  return {
    data: page.map(anthropicForm),
    has_more: before === -1 ? until < models.length : from > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/** GET /v1/models (spec 4.1): the models on sale, for anyone, in the form that the client's SDK reads. */
export const listModels =
  (deps: ModelDeps) =>
  async (call: OpenCall): Promise<Reply> => {
    const models = await listServed(deps, call);
    const { searchParams: query } = new URL(call.request.url);
    if (isAnthropic(call)) {
      return jsonReply(200, pageOf(models, query));
    }
    return isGoogle(call)
      ? jsonReply(200, googlePage(models, query))
      : jsonReply(200, { object: "list", data: models.map(openaiForm) });
  };

/** The identifier in an address; it may have slashes, encoded or not. */
const idIn = ({ request }: OpenCall): string => behindModels(new URL(request.url).pathname) ?? "";

function formOf(call: OpenCall): (model: Model) => object {
  if (isAnthropic(call)) {
    return anthropicForm;
  }
  return isGoogle(call) ? googleForm : openaiForm;
}

/** GET /v1/models/{id}. Throws unknownModel. */
export const getModel =
  (deps: ModelDeps) =>
  async (call: OpenCall): Promise<Reply> => {
    const id = idIn(call);
    const model = (await listServed(deps, call)).find((each) => each.id === id);
    if (!model) {
      throw new GatewayError("unknownModel", id.slice(0, 200));
    }
    return jsonReply(200, formOf(call)(model));
  };
