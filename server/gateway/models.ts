import type { Caller } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { Model } from "@/server/catalog";
import { behindModels } from "@/server/endpoints";
import { anthropicForm, googleForm, openaiForm } from "./model-forms";
import { anthropicPage, googlePage } from "./model-pages";
import type { AuthedCall, OpenCall } from "./pipeline/call";
import type { EndpointDeps } from "./pipeline/endpoint";
import type { GatewayDeps } from "./pipeline/gateway-deps";
import { headersWithQueryKey } from "./pipeline/query-key";

type CatalogDeps = Pick<GatewayDeps, "catalog" | "channels">;
type ModelDeps = CatalogDeps & Pick<EndpointDeps, "access"> & Pick<GatewayDeps, "currency">;

/** The caller's key. null: no known key came, and the list needs none. */
async function offeredKey({ access }: ModelDeps, { request }: OpenCall): Promise<Caller | null> {
  try {
    return await access.identify(headersWithQueryKey(request));
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      return null;
    }
    throw error;
  }
}

/**
 * The models on sale that an enabled channel serves, because calls for any other are refused. With a key they are those
 * that it may call, at the prices that it pays. `currency`: null without a key, because prices are for customers.
 */
async function listServed(
  deps: ModelDeps,
  call: OpenCall,
): Promise<{ models: Model[]; currency: string | null }> {
  const { catalog, channels } = deps;
  const [key, served] = await Promise.all([offeredKey(deps, call), channels.servedModels()]);
  const scope = key?.models ?? [];
  const models = await catalog.list(key?.account.priceGroupId ?? null);
  return {
    models: models.filter(({ id }) => served.has(id) && (scope.length === 0 || scope.includes(id))),
    currency: key && deps.currency,
  };
}

/** OpenAI's default for calls that name none. */
const USUAL_MODERATION = "omni-moderation-latest";

/**
 * The model of a call for moderation that names none: OpenAI's default if the key may call it, else the first by name.
 * null: there is none.
 */
export async function usualModeration(deps: CatalogDeps, { caller }: AuthedCall): Promise<string | null> {
  const [models, served] = await Promise.all([deps.catalog.list(), deps.channels.servedModels()]);
  const names = models
    .filter(({ id, kind }) => kind === "moderation" && served.has(id))
    .map(({ id }) => id)
    .filter((id) => caller.models.length === 0 || caller.models.includes(id))
    .sort();
  return names.includes(USUAL_MODERATION) ? USUAL_MODERATION : (names[0] ?? null);
}

/** Anthropic's clients send their API version with every call, and read another form. */
const isAnthropic = ({ request }: OpenCall): boolean => request.headers.has("anthropic-version");

/** Google's clients call other versions of the API, or send a key in Google's way, and read a third form. */
function isGoogle({ request }: OpenCall): boolean {
  const { pathname, search } = new URL(request.url);
  const query = new URLSearchParams(search);
  return !pathname.startsWith("/v1/") || request.headers.has("x-goog-api-key") || query.has("key");
}

/**
 * Printed models: printing a hundred takes 0.4 ms, and the models stay the same objects until the catalog is read
 * again.
 */
const texts = { priced: new WeakMap<Model, string>(), unpriced: new WeakMap<Model, string>() };

function openaiText(model: Model, currency: string | null): string {
  const kept = currency === null ? texts.unpriced : texts.priced;
  const text = kept.get(model) ?? JSON.stringify(openaiForm(model, currency));
  kept.set(model, text);
  return text;
}

const openaiList = (models: Model[], currency: string | null): Reply => ({
  ...jsonReply(200, {}),
  body: `{"object":"list","data":[${models.map((model) => openaiText(model, currency)).join(",")}]}`,
});

/** GET /v1/models (spec 4.1): the models on sale, for anyone, in the form that the client's SDK reads. */
export const listModels =
  (deps: ModelDeps) =>
  async (call: OpenCall): Promise<Reply> => {
    const { models, currency } = await listServed(deps, call);
    const { searchParams: query } = new URL(call.request.url);
    if (isAnthropic(call)) {
      return jsonReply(200, anthropicPage(models, query));
    }
    return isGoogle(call) ? jsonReply(200, googlePage(models, query)) : openaiList(models, currency);
  };

/** The identifier in an address; it may have slashes, encoded or not. */
const idIn = ({ request }: OpenCall): string => behindModels(new URL(request.url).pathname) ?? "";

function formOf(call: OpenCall, currency: string | null): (model: Model) => object {
  if (isAnthropic(call)) {
    return anthropicForm;
  }
  return isGoogle(call) ? googleForm : (model) => openaiForm(model, currency);
}

/** GET /v1/models/{id}. Throws unknownModel. */
export const getModel =
  (deps: ModelDeps) =>
  async (call: OpenCall): Promise<Reply> => {
    const id = idIn(call);
    const { models, currency } = await listServed(deps, call);
    const model = models.find((each) => each.id === id);
    if (!model) {
      throw new GatewayError("unknownModel", id.slice(0, 200));
    }
    return jsonReply(200, formOf(call, currency)(model));
  };
