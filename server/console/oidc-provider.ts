import type { Profile, TokenSet } from "next-auth";
import type { OAuthConfig } from "next-auth/providers/oauth";
import type { ProviderMetadata } from "@/server/access";
import type { Oidc } from "@/server/base/config";

/** Our name for the provider in addresses; the provider must be given `/api/auth/callback/oidc`. */
export const PROVIDER_ID = "oidc";

const HTTP_MS = 5_000;

/** Tokens must be signed with a key that the provider publishes: never with a shared secret, and never unsigned. */
const ALGORITHMS = ["RS256", "ES256", "PS256", "ES384", "RS512", "EdDSA"];

type UserinfoClient = { userinfo: (accessToken: string) => Promise<Profile> };

/**
 * Returns the claims of the token, which next-auth has verified. If they lack the e-mail, asks the provider, whose
 * answer must be about the same person.
 */
async function readClaims(tokens: TokenSet, client: UserinfoClient | null): Promise<Profile> {
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
 * The code flow with PKCE, state and nonce. `metadata`: null if the provider could not be asked; next-auth then reports
 * a failed sign-in.
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
      id_token_signed_response_alg: ALGORITHMS.find((algorithm) => algorithms.includes(algorithm)) ?? "RS256",
    },
    // `enter` finds the user and opens the session.
    profile: ({ sub }) => ({ id: sub ?? "", sessionId: "" }),
  };
}
