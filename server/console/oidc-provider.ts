import type { Profile, TokenSet } from "next-auth";
import type { OAuthConfig } from "next-auth/providers/oauth";
import type { ProviderMetadata } from "@/server/access";
import type { Oidc } from "@/server/base/config";

/** Its name in addresses: `/api/auth/callback/oidc` is what the provider has to know. */
export const PROVIDER_ID = "oidc";

const HTTP_MS = 5_000;

/** A key that the provider publishes must have signed: never a secret, and never nobody. */
const ALGORITHMS = ["RS256", "ES256", "PS256", "ES384", "RS512", "EdDSA"];

type Asked = { userinfo: (accessToken: string) => Promise<Profile> };

/**
 * What the token says, which is checked by then; where it lacks the e-mail, the provider is asked, which must then speak
 * of the same person.
 */
async function readClaims(tokens: TokenSet, client: Asked | null): Promise<Profile> {
  const [, payload = ""] = (tokens.id_token ?? "").split(".");
  const claims: Profile = JSON.parse(Buffer.from(payload, "base64url").toString());
  if ("email" in claims || client === null) {
    return claims;
  }
  const more: Profile = await client.userinfo(tokens.access_token ?? "");
  if (more.sub !== claims.sub) {
    throw new Error("the userinfo endpoint speaks of somebody else");
  }
  return { ...more, ...claims };
}

/**
 * The code flow with PKCE, state and nonce. `metadata`: null where the provider could not be asked; next-auth says that
 * signing in failed then.
 */
export function providerOf(oidc: Oidc, metadata: ProviderMetadata | null): OAuthConfig<Profile> {
  const methods = metadata?.token_endpoint_auth_methods_supported ?? [];
  const algorithms = metadata?.id_token_signing_alg_values_supported ?? [];
  return {
    id: PROVIDER_ID,
    name: oidc.name,
    type: "oauth",
    checks: ["pkce", "state", "nonce"],
    idToken: true,
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    httpOptions: { timeout: HTTP_MS },
    authorization: { url: metadata?.authorization_endpoint ?? "", params: { scope: "openid email" } },
    ...(metadata && { token: metadata.token_endpoint, jwks_endpoint: metadata.jwks_uri }),
    userinfo: {
      ...(metadata?.userinfo_endpoint && { url: metadata.userinfo_endpoint }),
      request: ({ tokens, client }) => readClaims(tokens, metadata?.userinfo_endpoint ? client : null),
    },
    client: {
      token_endpoint_auth_method: methods.includes("client_secret_basic")
        ? "client_secret_basic"
        : "client_secret_post",
      id_token_signed_response_alg: ALGORITHMS.find((one) => algorithms.includes(one)) ?? "RS256",
    },
    // Who it is, and the session, is found out by `enter`.
    profile: ({ sub }) => ({ id: sub ?? "", sessionId: "" }),
  };
}
