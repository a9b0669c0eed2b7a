import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endpointAt } from "./endpoints";

const modules = globSync("app/v1/**/route.ts").map((file) => ({
  path: `/${file.slice("app/".length, -"/route.ts".length)}`,
  names: /routeOf\(\s*"([^"]+)",?\s*\)/.exec(readFileSync(file, "utf8"))?.[1],
}));

describe("the table of endpoints", () => {
  it.each(modules)("is what Next's route module at $path names", ({ path, names }) => {
    expect(names).toBe(path);
  });

  it("leaves no endpoint without a route module", () => {
    const paths = modules.map(({ path }) => path.replace(/\[\.\.\.\w+\]/, "anything/else"));
    expect(new Set(paths.map(endpointAt)).size).toBe(37);
    expect(modules).toHaveLength(38);
  });

  it("takes Google's addresses of models, with its versions and names", () => {
    for (const path of ["/v1/models", "/v1beta/models", "/v1beta1/publishers/google/models"]) {
      expect(endpointAt(path)).toBe("models");
      expect(endpointAt(`${path}/org/x:free:generateContent`)).toBe("model");
    }
    expect(endpointAt("/v1beta/projects/p/locations/l/publishers/google/models/x:countTokens")).toBe("model");
    expect(endpointAt("/v1beta/openai/chat/completions")).toBe("unknown");
    expect(endpointAt("/v1beta/files")).toBe("unknown");
  });

  it("takes Azure's addresses, whose models may have slashes in their names", () => {
    const at = (path: string) => endpointAt(`/openai/deployments/${path}`);
    expect(["m", "a/b", "chat/completions"].map((model) => at(`${model}/chat/completions`))).toEqual(
      Array(3).fill("deploymentChat"),
    );
    expect(["m", "a/b"].map((model) => at(`${model}/embeddings`))).toEqual(
      Array(2).fill("deploymentEmbeddings"),
    );
    expect(at("a/b/audio/transcriptions")).toBe("transcriptions");
    expect(at("m/responses")).toBe("responses");
    expect(at("m/completions")).toBe("completions");
    expect(at("m/images/edits")).toBe("imageEdits");
    expect([at("m/images/variations"), at("chat/completions"), at("m")]).toEqual(Array(3).fill("unknown"));
  });

  it("takes one segment for a task's identifier, and no more", () => {
    expect(endpointAt("/v1/videos/generations/vt_1")).toBe("videoTask");
    expect(endpointAt("/v1/videos/generations/vt_1/content")).toBe("videoContent");
    expect(endpointAt("/v1/videos/generations/vt_1/other")).toBe("unknown");
    expect(endpointAt("/v1/videos/generations")).toBe("videoTasks");
    expect(endpointAt("/v1/videos")).toBe("videos");
    expect(endpointAt("/v1/videos/vt_1")).toBe("video");
    expect(endpointAt("/v1/videos/edits")).toBe("video");
    expect(endpointAt("/v1/videos/vt_1/content")).toBe("videoFile");
    expect(endpointAt("/v1/videos/vt_1/remix")).toBe("videoRemix");
    expect(endpointAt("/v1/videos/vt_1/other")).toBe("unknown");
    expect(endpointAt("/v1/responses/resp_1")).toBe("response");
    expect(endpointAt("/v1/responses/resp_1/input_items")).toBe("responseInput");
    expect(endpointAt("/v1/responses/resp_1/other")).toBe("unknown");
    expect(endpointAt("/v1/responses/input_tokens")).toBe("responseTokens");
    expect(endpointAt("/v1/responses/compact")).toBe("responseCompact");
    expect(endpointAt("/v1/conversations")).toBe("conversations");
    expect(endpointAt("/v1/conversations/conv_1")).toBe("conversation");
    expect(endpointAt("/v1/conversations/conv_1/items")).toBe("conversationItems");
    expect(endpointAt("/v1/conversations/conv_1/items/msg_1")).toBe("conversationItem");
    expect(endpointAt("/v1/conversations/conv_1/items/msg_1/other")).toBe("unknown");
    expect(endpointAt("/v1/constructor")).toBe("unknown");
  });
});
