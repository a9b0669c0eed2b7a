import { GatewayError } from "@/server/base/errors";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { Model } from "@/server/catalog";
import type { OpenCall } from "./call";
import type { EndpointDeps } from "./endpoint";
import type { GatewayDeps } from "./paid-call";
import { decodedPart } from "./path-model";

type ModelDeps = Pick<GatewayDeps, "catalog" | "channels"> & Pick<EndpointDeps, "access">;

/** The models that the offered key may call; empty: any. The list needs no key, so one that is unknown is none. */
async function scopeOf({ access }: ModelDeps, { request }: OpenCall): Promise<readonly string[]> {
  try {
    return (await access.identify(request.headers)).models;
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
    return isAnthropic(call)
      ? jsonReply(200, pageOf(models, new URL(call.request.url).searchParams))
      : jsonReply(200, { object: "list", data: models.map(openaiForm) });
  };

const PREFIX = "/v1/models/";

/** The identifier in an address; it may have slashes, encoded or not. */
function idIn({ request }: OpenCall): string {
  return decodedPart(new URL(request.url).pathname.slice(PREFIX.length).replace(/\/$/, ""));
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
    return jsonReply(200, (isAnthropic(call) ? anthropicForm : openaiForm)(model));
  };
