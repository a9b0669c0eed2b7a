import { z } from "zod";
import type { Oidc } from "@/server/base/config";
import { isPrivateWay } from "@/server/base/variable-kinds";

const DISCOVERY_MS = 5_000;
const MAX_CHARACTERS = 100_000;
/** A provider's endpoints rarely change, and a flood of sign-ins must not ask the provider each time. */
const KNOWN_MS = 10 * 60_000;

const Endpoint = z.url({ protocol: /^https?$/ }).refine(isPrivateWay, "is not https:");

/** The parts of OpenID Connect Discovery 1.0 metadata that a sign-in needs. */
const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  jwks_uri: Endpoint,
  userinfo_endpoint: Endpoint.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
  id_token_signing_alg_values_supported: z.array(z.string()).default(["RS256"]),
});
export type ProviderMetadata = z.infer<typeof Metadata>;

async function askProvider(issuer: string): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, {
    signal: AbortSignal.timeout(DISCOVERY_MS),
    redirect: "error",
    headers: { accept: "application/json" },
  });
  if (!response.ok) {
    throw new Error(`${url} answers ${response.status}`);
  }
  let text = "";
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length > MAX_CHARACTERS) {
      throw new Error(`${url} answers more than ${MAX_CHARACTERS} characters`);
    }
  }
  const metadata = Metadata.parse(JSON.parse(text));
  // One provider must not answer for another.
  if (metadata.issuer !== issuer) {
    throw new Error(`${url} is of the issuer ${metadata.issuer}: OIDC_ISSUER is ${issuer}`);
  }
  return metadata;
}

let cached: { issuer: string; at: number; metadata: ProviderMetadata } | null = null;

/**
 * Returns the provider's metadata, at most ten minutes old. Throws an explanatory error if the provider does not
 * deliver it.
 */
export async function discoverProvider({ issuer }: Pick<Oidc, "issuer">): Promise<ProviderMetadata> {
  if (cached?.issuer === issuer && Date.now() - cached.at < KNOWN_MS) {
    return cached.metadata;
  }
  const metadata = await askProvider(issuer);
  cached = { issuer, at: Date.now(), metadata };
  return metadata;
}
