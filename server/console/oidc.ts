/** Sign-in at an OpenID Connect provider: which users are admitted on its word. */
import type { AuthOptions, User } from "next-auth";
import { z } from "zod";
import { discoverProvider, enterByProvider, type ProviderMetadata, type SessionUser } from "@/server/access";
import { type Oidc, oidcOf } from "@/server/base/config";
import { languageOf } from "@/server/base/language";
import { runOperation, securityOperations } from "@/server/operations";
import { operationContext } from "@/server/runtime/operation-context";
import type { Runtime } from "@/server/runtime/runtime";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { PROVIDER_ID, providerOf } from "./oidc-provider";

/** The claims that a user needs who comes back from the provider. Some providers write booleans as text. */
const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.email().max(254),
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]),
  /** Seconds. */
  auth_time: z.number().int().positive().optional(),
});

/** Reasons of refusals for which the sign-in page has texts. */
const ours = ["identityUnknown", "identityNotLinked", "identityElsewhere"] as const;

/** Why a provider's claims are refused. */
type ProviderRefusal =
  | (typeof ours)[number]
  | "emailUnverified"
  | "emailForeign"
  | "disabled"
  | "throttled"
  | "unavailable";

/** Matched by shape: an error made in the server's bundle has another class than this bundle's. */
const Failure = z.object({ reason: z.string().nullish(), kind: z.string().nullish() });

/** The address, origin and session of the request, as the callback has them. */
type CallbackRequest = { address: string | null; origin: string; sessionId: string | null };

const refusedAs = (error: unknown): ProviderRefusal => {
  const shown = Failure.safeParse(error);
  const why = shown.success ? (shown.data.reason ?? shown.data.kind) : null;
  if (why === "rateLimited") {
    return "throttled";
  }
  if (why === "userDisabled" || why === "accountDisabled") {
    return "disabled";
  }
  return ours.find((reason) => reason === why) ?? "unavailable";
};

/** Checks the claims by themselves: the issuer, the verified e-mail and its domain. */
function readVouched(oidc: Oidc, claims: unknown): z.infer<typeof Claims> | ProviderRefusal {
  const parsed = Claims.safeParse(claims);
  if (!parsed.success || parsed.data.iss !== oidc.issuer || !parsed.data.email_verified) {
    return "emailUnverified";
  }
  const domain = parsed.data.email.toLowerCase().split("@").at(-1) ?? "";
  return oidc.domains.length === 0 || oidc.domains.includes(domain) ? parsed.data : "emailForeign";
}

/** Opens a session and returns it, or the reason why not. */
async function enter(
  runtime: Runtime,
  { issuer, sub, email, auth_time: seconds }: z.infer<typeof Claims> & { issuer: string },
  { address, origin, sessionId }: CallbackRequest,
): Promise<SessionUser | ProviderRefusal> {
  const identity = { issuer, subject: sub };
  const actor = { userId: null, name: email, address };
  const door = operationContext(runtime, { actor, origin, language: languageOf(null) });
  try {
    return await enterByProvider(runtime.db, runtime.identity, {
      identity,
      // A time in the future is taken as now.
      provedAt: seconds === undefined ? null : new Date(Math.min(seconds * 1000, Date.now())),
      address,
      link: () => runOperation(door, securityOperations.link, { ...identity, email, sessionId }),
    });
  } catch (error) {
    const refusal = refusedAs(error);
    if (refusal === "unavailable") {
      runtime.log.error({ err: error }, "sign-in failed");
    }
    return refusal;
  }
}

/** Opens a session. Throws an error whose message is a `ProviderRefusal`, which next-auth puts into the address. */
async function admit(
  runtime: Runtime,
  oidc: Oidc,
  { claims, asking }: { claims: unknown; asking: CallbackRequest },
) {
  const vouched = readVouched(oidc, claims);
  const entered =
    typeof vouched === "string" ? vouched : await enter(runtime, { ...vouched, issuer: oidc.issuer }, asking);
  if (typeof entered !== "string") {
    return entered;
  }
  runtime.log.info({ outcome: entered, address: asking.address }, "sign-in refused");
  throw new Error(entered);
}

/**
 * Adds the provider to the options of next-auth; returns them unchanged if none is configured. `asking`: null if the
 * request does not concern the provider, which then need not be asked.
 */
export async function withProvider(
  runtime: Runtime,
  options: AuthOptions,
  asking: CallbackRequest | null,
): Promise<AuthOptions> {
  const oidc = oidcOf(runtime.config);
  if (!oidc) {
    return options;
  }
  const metadata = asking ? await findMetadata(runtime, oidc) : null;
  return {
    ...options,
    providers: [...options.providers, providerOf(oidc, metadata)],
    callbacks: {
      ...options.callbacks,
      signIn: async ({ user, account, profile }) => {
        if (account?.provider !== PROVIDER_ID) {
          return true;
        }
        if (!asking) {
          return false;
        }
        // next-auth passes this user to `jwt`, which puts the session into the cookie.
        (user as User).sessionId = (await admit(runtime, oidc, { claims: profile, asking })).sessionId;
        return true;
      },
    },
  };
}

const findMetadata = (runtime: Runtime, oidc: Oidc): Promise<ProviderMetadata | null> =>
  discoverProvider(oidc).catch((error: unknown) => {
    runtime.log.warn({ err: error }, "the OpenID Connect provider does not say how to sign in");
    return null;
  });

/** The provider's name on the sign-in page; null: no provider. */
export const findProviderName = async (): Promise<string | null> =>
  oidcOf((await getRuntime()).config)?.name ?? null;
