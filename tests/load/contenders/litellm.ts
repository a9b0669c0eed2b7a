import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@/tests/support/free-port";
import { deliveries, modelOf } from "../chat";
import { type Server, startStranger } from "../processes";
import { installed } from "./installed";

const VERSION = "1.102.4";

/** JSON is YAML. Without a master key LiteLLM requires no key from clients. */
const configOf = (upstreamUrl: string) =>
  JSON.stringify({
    model_list: deliveries.map((delivery) => {
      const model = modelOf(delivery);
      const upstream = { api_base: `${upstreamUrl}/v1`, api_key: "upstream-secret" };
      return { model_name: model, litellm_params: { model: `openai/${model}`, ...upstream } };
    }),
  });

/** Installs LiteLLM's proxy into its own Python environment, and starts one worker of it. */
export async function startLitellm(upstreamUrl: string): Promise<Server> {
  const folder = await installed(`litellm-${VERSION}`, async (into, installer) => {
    await installer("python3", "-m", "venv", into);
    await installer(join(into, "bin/pip"), "install", "--quiet", `litellm[proxy]==${VERSION}`);
  });
  const config = join(folder, "config.yaml");
  await writeFile(config, configOf(upstreamUrl));
  const port = await freePort();
  const program = {
    command: join(folder, "bin/litellm"),
    args: ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"],
    // Its list of prices comes with the package; without this variable it downloads a newer one.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_LOG: "ERROR" },
    place: "first core" as const,
  };
  return await startStranger(program, { port, path: "/health/liveliness" });
}
