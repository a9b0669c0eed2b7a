/** The models that a vendor lists, for a channel that exists or one that is only a draft. */
import { eq } from "drizzle-orm";
import { withoutSecrets } from "@/server/base/redactor";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { type ListedModel, UpstreamFault, type Upstreams } from "@/server/upstream";
import { normaliseBaseUrl } from "./settings/base-url";
import { checkCredentials } from "./settings/credentials";
import { channelUnknown } from "./settings/view";
import { presetOf } from "./vendors";

const { channels } = tables;

/** An endpoint as a form or a stored channel has it. */
export type ModelSource = { dialect: VendorApi; vendor: string | null; baseUrl: string; secret: string };

/** `failure`: why there is no list. `none`: the vendor has none, or one that calls cannot use. */
export type ModelList = {
  models: ListedModel[];
  /** false: the vendor may have more, because the list is longer than we read, or failed. */
  isWhole: boolean;
  failure: { reason: UpstreamFault["reason"] | "none"; status: number | null; message: string } | null;
};

const TIMEOUT_MS = 20_000;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** A vendor's text as PostgreSQL takes it, which refuses NUL and half a surrogate pair. A space does not join a cut secret. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cs}]+/gu, " ");

const failed = (failure: NonNullable<ModelList["failure"]>): ModelList => ({
  models: [],
  isWhole: false,
  failure,
});

/** Returns the name once, in the vendor's order. */
const once = (models: ListedModel[]) => [...new Map(models.map((model) => [model.name, model])).values()];

/** No answer of the vendor makes it throw. The credential goes to the base URL only. */
async function list(upstreams: Upstreams, source: ModelSource): Promise<ModelList> {
  const lists = upstreams[source.dialect].models;
  if (!lists || presetOf(source)?.hidesModels) {
    return failed({ reason: "none", status: null, message: "" });
  }
  try {
    const { baseUrl, secret } = source;
    const { models, isWhole } = await lists({ baseUrl, secret, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { models: once(models), isWhole, failure: null };
  } catch (error) {
    if (error instanceof UpstreamFault) {
      const words = plain(withoutSecrets(error.message, [source.secret]));
      const message = words.slice(0, MAX_MESSAGE_CHARACTERS);
      return failed({ reason: error.reason, status: error.status, message });
    }
    throw error;
  }
}

/** Lists the models at an endpoint that is not stored. Throws Refusal if a channel could not have it. */
export async function listDraftModels(upstreams: Upstreams, source: ModelSource): Promise<ModelList> {
  const [secret = ""] = checkCredentials([source.secret], source.dialect);
  return await list(upstreams, {
    ...source,
    secret,
    baseUrl: normaliseBaseUrl(source.baseUrl, source.dialect),
  });
}

/** Lists the models of a stored channel's vendor, with the channel's first credential. Throws Refusal. */
export async function listChannelModels(
  { db, vault, upstreams }: { db: Db; vault: Vault; upstreams: Upstreams },
  channelId: ChannelId,
): Promise<ModelList> {
  const [row] = await ormOf(db)
    .select({
      dialect: channels.dialect,
      vendor: channels.vendor,
      baseUrl: channels.baseUrl,
      credentials: channels.credentials,
    })
    .from(channels)
    .where(eq(channels.id, channelId));
  if (!row) {
    throw channelUnknown(channelId);
  }
  const { credentials, ...endpoint } = row;
  return await list(upstreams, { ...endpoint, secret: vault.open(credentials[0] ?? "") });
}
