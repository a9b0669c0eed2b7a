import { z } from "zod";
import { listModels, saveModel } from "./catalog";
import { addChannel, listChannels } from "./channels";
import type { Config } from "./config";
import type { Runtime } from "./runtime";

/** A vendor whose key in the environment makes a channel at first boot. */
type VendorKey = {
  name: "openai" | "anthropic";
  variable: "OPENAI_API_KEY" | "ANTHROPIC_API_KEY";
  baseUrl: (config: Config) => string;
  headers: (secret: string) => Record<string, string>;
};

const vendorKeys: VendorKey[] = [
  {
    name: "openai",
    variable: "OPENAI_API_KEY",
    baseUrl: (config) => config.OPENAI_BASE_URL,
    headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  },
  {
    name: "anthropic",
    variable: "ANTHROPIC_API_KEY",
    // This vendor's SDKs take the address without the version that the channel's has.
    baseUrl: (config) => config.ANTHROPIC_BASE_URL.replace(/(?:\/v1)?\/*$/, "/v1"),
    headers: (secret) => ({ "x-api-key": secret, "anthropic-version": "2023-06-01" }),
  },
];

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })).max(5_000) });
const NOT_SERVED = /whisper|tts|dall-e|image|moderation|realtime|audio|transcribe|sora|babbage|davinci/i;
const EMBEDDING = /embed/i;

async function listVendorModels(url: string, headers: Record<string, string>): Promise<string[]> {
  const reply = await fetch(`${url}/models?limit=1000`, { headers, signal: AbortSignal.timeout(15_000) });
  if (!reply.ok) {
    throw new Error(`status ${reply.status}`);
  }
  const { data } = ModelList.parse(await reply.json());
  return data.map((model) => model.id).filter((id) => !NOT_SERVED.test(id));
}

/**
 * Adds a channel for each vendor whose key the environment names and that has none yet, with the models that it lists.
 * A vendor that does not answer at one start is asked again at the next one.
 */
export async function addVendorChannels(runtime: Runtime, say: (line: string) => void): Promise<void> {
  const channels = await listChannels(runtime.db.orm);
  for (const vendor of vendorKeys) {
    const secret = runtime.config[vendor.variable];
    if (secret && channels.every((channel) => channel.name !== vendor.name)) {
      await addVendorChannel(runtime, { ...vendor, secret }, say).catch((error: unknown) => {
        say(`${vendor.variable} is set, but its models could not be listed: ${String(error)}`);
      });
    }
  }
}

async function addVendorChannel(
  { config, db, vault }: Runtime,
  vendor: VendorKey & { secret: string },
  say: (line: string) => void,
): Promise<void> {
  const { name, secret } = vendor;
  const baseUrl = vendor.baseUrl(config).replace(/\/+$/, "");
  say(`Asking ${baseUrl} for its models`);
  const ids = await listVendorModels(baseUrl, vendor.headers(secret));
  const known = new Set((await listModels(db.orm)).map((model) => model.id));
  for (const id of ids.filter((candidate) => !known.has(candidate))) {
    const kind = EMBEDDING.test(id) ? "embedding" : "chat";
    await saveModel(db.orm, { id, kind, ownedBy: name, enabled: true, maxOutputTokens: 16_384 });
  }
  const models = Object.fromEntries(ids.map((id) => [id, id]));
  await addChannel(db.orm, { name, vendor: name, dialect: name, baseUrl, secrets: [secret], models }, vault);
  say(`Added channel "${name}" with ${ids.length} models. They cost nothing until you set prices:`);
  say("  npm run -s tollgate -- model set --id MODEL --kind chat --input P --output P");
}
