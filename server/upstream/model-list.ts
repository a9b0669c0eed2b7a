import type { Dispatcher } from "undici";
import { withoutSecrets } from "@/server/base/redactor";
import { type ListedModel, readModelList } from "@/server/protocol/model-list";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import { type ListModels, UpstreamFault } from "./adapter";
import { sendForText } from "./http";

/** Far more than the longest list that we know, OpenRouter's of some 700 models with prices and descriptions. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PAGES = 20;
const MAX_MODELS = 5_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Lists models by `GET /models` below the base URL, and follows pages, but no redirect: it would carry the credential to
 * another host. `query`: the largest page that the vendor offers.
 */
export const modelLister =
  (
    dispatcher: Dispatcher,
    { headers, query }: { headers: (secret: string) => Record<string, string>; query: string },
  ): ListModels =>
  async ({ baseUrl, secret, signal }) => {
    const models: ListedModel[] = [];
    let isWhole = false;
    let next: string | null = query;
    for (let page = 0; page < MAX_PAGES && next !== null && models.length < MAX_MODELS; page++) {
      const url = `${baseUrl}/models${next === "" ? "" : `?${next}`}`;
      const { status, text } = await sendForText(
        dispatcher,
        { method: "GET", url, headers: { accept: "application/json", ...headers(secret) }, signal },
        MAX_BYTES,
      );
      if (status < 200 || status >= 300) {
        throw new UpstreamFault("refused", withoutSecrets(describeErrorBody(text ?? ""), [secret]), {
          status,
        });
      }
      const list = text === null ? null : readModelList(parsed(text));
      if (list === null) {
        throw new UpstreamFault("malformed", "the answer is no list of models", { status });
      }
      // Several hundred thousand, which fit into the bytes, are too many arguments.
      models.push(...list.models.slice(0, MAX_MODELS));
      isWhole = list.isLast && list.models.length <= MAX_MODELS;
      next = list.next === null ? null : [query, list.next].filter((part) => part !== "").join("&");
    }
    return { models: models.slice(0, MAX_MODELS), isWhole: isWhole && models.length <= MAX_MODELS };
  };
