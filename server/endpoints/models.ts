import { both } from "@/server/base/language";
import { AnthropicModel, GoogleModel, Model } from "./answers/model-answers";
import { idOf, openReads } from "./endpoint";
import { constant, listOf, object, page, text } from "./schema";

/** GET /v1/models and /v1/models/{id}, in the form that the client's SDK reads. */
export const models = [
  openReads({
    id: "listModels",
    name: "models",
    method: "get",
    path: "/v1/models",
    tag: "models",
    summary: both("列出可用的模型", "List available models"),
    answers: [
      {
        status: 200,
        schema: {
          name: "ModelList",
          schema: {
            anyOf: [
              object({ object: constant("list"), data: listOf(Model) }),
              page(AnthropicModel),
              object({ models: listOf(GoogleModel), nextPageToken: text }, ["nextPageToken"]),
            ],
          },
        },
      },
    ],
    refusals: [],
  }),
  openReads({
    id: "getModel",
    name: "models",
    method: "get",
    path: "/v1/models/{model}",
    tag: "models",
    summary: both("查询一个模型", "Show a model"),
    parameters: [idOf("model")],
    answers: [
      {
        status: 200,
        schema: { name: "ModelInAnyForm", schema: { anyOf: [Model, AnthropicModel, GoogleModel] } },
      },
    ],
    refusals: ["unknownModel"],
  }),
] as const;
