import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { locate } from "./addresses";
import { endpoints } from "./list";

const endpointAt = (path: string) => locate(path).path;

describe("the addresses of the endpoints", () => {
  it("lead to each path, with any identifiers in it", () => {
    const paths = [...new Set(endpoints.map(({ path }) => path))].filter((path) => path.startsWith("/v1/"));
    expect(paths).toHaveLength(37);
    expect(paths.map((path) => endpointAt(path.replace(/\{\w+\}/g, "any-1")))).toEqual(paths);
  });

  it("have one route module of Next each, and no other address has one", () => {
    const shapeOf = (path: string) => path.replaceAll(/\{\w+\}|\[[\w.]+\]/g, "*");
    const paths = new Set(endpoints.map(({ path }) => path).filter((path) => path.startsWith("/v1/")));
    const modules = globSync("app/v1/**/route.ts")
      .map((file) => `/${file.slice("app/".length, -"/route.ts".length)}`)
      .filter((path) => path !== "/v1/[...path]");
    expect(modules.map(shapeOf).sort()).toEqual([...paths].map(shapeOf).sort());
  });

  it("include Google's addresses of models, with their versions and names", () => {
    for (const path of ["/v1/models", "/v1beta/models", "/v1beta1/publishers/google/models"]) {
      expect(endpointAt(path)).toBe("/v1/models");
      expect(endpointAt(`${path}/org/x:free:generateContent`)).toBe("/v1/models/{model}");
    }
    expect(endpointAt("/v1beta/projects/p/locations/l/publishers/google/models/x:countTokens")).toBe(
      "/v1/models/{model}",
    );
    expect(endpointAt("/v1beta/openai/chat/completions")).toBeNull();
    expect(endpointAt("/v1beta/files")).toBeNull();
  });

  it("include Azure's addresses, whose models may have slashes in their names", () => {
    const at = (path: string) => endpointAt(`/openai/deployments/${path}`);
    expect(["m", "a/b", "chat/completions"].map((model) => at(`${model}/chat/completions`))).toEqual(
      Array(3).fill("/v1/chat/completions"),
    );
    expect(["m", "a/b"].map((model) => at(`${model}/embeddings`))).toEqual(Array(2).fill("/v1/embeddings"));
    expect(at("a/b/audio/transcriptions")).toBe("/v1/audio/transcriptions");
    expect(at("m/responses")).toBe("/v1/responses");
    expect(at("m/completions")).toBe("/v1/completions");
    expect(at("m/images/edits")).toBe("/v1/images/edits");
    expect(locate("/openai/deployments/m/responses").place).toBe("deployment");
    expect([at("m/images/variations"), at("chat/completions"), at("m")]).toEqual(Array(3).fill(null));
  });

  it("have one segment for an identifier, and no more", () => {
    expect(endpointAt("/v1/videos/generations/vt_1")).toBe("/v1/videos/generations/{task_id}");
    expect(endpointAt("/v1/videos/generations/vt_1/content")).toBe(
      "/v1/videos/generations/{task_id}/content",
    );
    expect(endpointAt("/v1/videos/generations/vt_1/other")).toBeNull();
    expect(endpointAt("/v1/videos/generations")).toBe("/v1/videos/generations");
    expect(endpointAt("/v1/videos")).toBe("/v1/videos");
    expect(endpointAt("/v1/videos/vt_1")).toBe("/v1/videos/{video_id}");
    expect(endpointAt("/v1/videos/edits")).toBe("/v1/videos/{video_id}");
    expect(endpointAt("/v1/videos/vt_1/content")).toBe("/v1/videos/{video_id}/content");
    expect(endpointAt("/v1/videos/vt_1/remix")).toBe("/v1/videos/{video_id}/remix");
    expect(endpointAt("/v1/videos/vt_1/other")).toBeNull();
    expect(endpointAt("/v1/responses/resp_1")).toBe("/v1/responses/{response_id}");
    expect(endpointAt("/v1/responses/resp_1/input_items")).toBe("/v1/responses/{response_id}/input_items");
    expect(endpointAt("/v1/responses/resp_1/other")).toBeNull();
    expect(endpointAt("/v1/responses/input_tokens")).toBe("/v1/responses/input_tokens");
    expect(endpointAt("/v1/responses/compact")).toBe("/v1/responses/compact");
    expect(endpointAt("/v1/conversations")).toBe("/v1/conversations");
    expect(endpointAt("/v1/conversations/conv_1")).toBe("/v1/conversations/{conversation_id}");
    expect(endpointAt("/v1/conversations/conv_1/items")).toBe("/v1/conversations/{conversation_id}/items");
    expect(endpointAt("/v1/conversations/conv_1/items/msg_1")).toBe(
      "/v1/conversations/{conversation_id}/items/{item_id}",
    );
    expect(endpointAt("/v1/conversations/conv_1/items/msg_1/other")).toBeNull();
    expect(endpointAt("/v1/constructor")).toBeNull();
  });
});
