/** Sign-in at an OpenID Connect provider: who is let in for its word, and who is not. */
import type { AuthOptions, User } from "next-auth";
import { z } from "zod";
import { discoverProvider, enterByProvider, type ProviderMetadata, type SessionUser } from "@/server/access";
import { type Oidc, oidcOf } from "@/server/base/config";
import { runOperation, securityOperations } from "@/server/operations";
import { doorOf } from "@/server/process/door";
import { getRuntime, type Runtime } from "@/server/process/runtime";
import { PROVIDER_ID, providerOf } from "./oidc-provider";

/** What is asked of whoever comes back from the provider. Some write booleans as text. */
const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.email().max(254),
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]),
  /** Seconds. */
  auth_time: z.number().int().positive().optional(),
});

/** Reasons of refusals that the sign-in page has texts for. */
const ours = ["identityUnknown", "identityNotLinked", "identityElsewhere"] as const;

/** Why a provider's word does not do. */
type ProviderRefusal =
  | (typeof ours)[number]
  | "emailUnverified"
  | "emailForeign"
  | "disabled"
  | "throttled"
  | "unavailable";

/** By shape: an error that the server's bundle made is of another class than this bundle's. */
const Failure = z.object({ reason: z.string().nullish(), kind: z.string().nullish() });

/** Who asks, as the callback has it. */
type Asking = { address: string | null; origin: string; sessionId: string | null };

const refusedAs = (error: unknown): ProviderRefusal => {
  const shown = Failure.safeParse(error);
  const why = shown.success ? (shown.data.reason ?? shown.data.kind) : null;
  if (why === "rateLimited") {
    return "throttled";
  }
  if (why === "userDisabled" || why === "accountDisabled") {
    return "disabled";
  }
  return ours.find((one) => one === why) ?? "unavailable";
};

/** Whether the claims do, by themselves: whose word they are, and for which e-mail. */
function readVouched(oidc: Oidc, claims: unknown): z.infer<typeof Claims> | ProviderRefusal {
  const parsed = Claims.safeParse(claims);
  if (!parsed.success || parsed.data.iss !== oidc.issuer || !parsed.data.email_verified) {
    return "emailUnverified";
  }
  const domain = parsed.data.email.toLowerCase().split("@").at(-1) ?? "";
  return oidc.domains.length === 0 || oidc.domains.includes(domain) ? parsed.data : "emailForeign";
}

/** The session that is opened, or why none is. */
async function enter(
  runtime: Runtime,
  { issuer, sub, email, auth_time: seconds }: z.infer<typeof Claims> & { issuer: string },
  { address, origin, sessionId }: Asking,
): Promise<SessionUser | ProviderRefusal> {
  const identity = { issuer, subject: sub };
  const door = doorOf(runtime, { actor: { userId: null, name: email, address }, origin });
  try {
    return await enterByProvider(runtime.db, runtime.identity, {
      identity,
      // Nobody has shown anything in the future.
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

/** Opens a session. Throws an error whose message is a `ProviderRefusal`: next-auth puts it into the address. */
async function admit(runtime: Runtime, oidc: Oidc, { claims, asking }: { claims: unknown; asking: Asking }) {
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
 * What next-auth needs for the provider beside what it has for passwords; nothing of it where none is configured.
 * `asking`: null where nobody is on the way to the provider or back, who then need not be asked.
 */
export async function withProvider(
  runtime: Runtime,
  options: AuthOptions,
  asking: Asking | null,
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
        // next-auth hands this user on to `jwt`, which puts the session into the cookie.
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

/** What the sign-in page calls the provider; null: there is none. */
export const findProviderName = async (): Promise<string | null> =>
  oidcOf((await getRuntime()).config)?.name ?? null;
