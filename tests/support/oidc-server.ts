/** A real OpenID Connect provider on loopback, whose users sign in by their name. */
import { createServer } from "node:http";
import Provider from "oidc-provider";
import { end, listen } from "./listen";

type OidcUser = { email: string; email_verified?: boolean };

export type OidcServer = Awaited<ReturnType<typeof startOidcServer>>;

/** `callback`: the gateway's address to which it redirects. */
export async function startOidcServer(callback: string) {
  const people = new Map<string, OidcUser>();
  const server = createServer((incoming, outgoing) => answer(incoming, outgoing));
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const client = { client_id: "tollgate", client_secret: "a secret of the provider" };
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [callback] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["a key of the provider's cookies"] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email_verified: true, ...(people.get(id) ?? { email: id }) }),
    }),
  });
  const answer = provider.callback();
  return {
    issuer,
    /** The gateway's settings for it. */
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      OIDC_NAME: "Example",
    },
    /** The users that it knows, by their sign-in names. For any other name, that name is the e-mail. */
    people,
    close: () => end(server),
  };
}
