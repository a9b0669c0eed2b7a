/** Servers that operators run themselves, at their default ports. */
import type { Capabilities } from "@/server/protocol/capabilities";
import { gptOss } from "./hosts";
import { ofOpenAi, type Vendor } from "./vendor";

const openServer: Partial<Capabilities> = {
  outputTokenField: "max_tokens",
  documents: false,
  laterSystem: false,
  maxStops: null,
  // They ignore members that they do not know. A member that is left out is named to the client.
  refusedMembers: ofOpenAi,
};

/** A chat template that does not know the variable ignores it, so every model may get it. */
const templated: Partial<Capabilities> = { ...openServer, topK: true, thinking: "chat_template" };

export const localServers: Vendor[] = [
  {
    id: "vllm",
    name: "vLLM",
    dialect: "openai",
    baseUrl: "http://localhost:8000/v1",
    capabilities: templated,
    models: [gptOss],
  },
  {
    id: "sglang",
    name: "SGLang",
    dialect: "openai",
    baseUrl: "http://localhost:30000/v1",
    capabilities: templated,
    models: [gptOss],
  },
  {
    // docs.ollama.com, OpenAI compatibility: images inside the request only.
    id: "ollama",
    name: "Ollama",
    dialect: "openai",
    baseUrl: "http://localhost:11434/v1",
    capabilities: { ...openServer, images: "data" },
    models: [
      gptOss,
      {
        // A model that cannot think answers 400 to an effort.
        match: /^(qwen3(\.\d+)?:|deepseek-(r1|v3\.1))/,
        capabilities: { thinking: "effort", effortLevels: ["none", "low", "medium", "high"] },
      },
    ],
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    dialect: "openai",
    baseUrl: "http://localhost:1234/v1",
    capabilities: { ...openServer, images: "data", topK: true },
    models: [gptOss],
  },
];
