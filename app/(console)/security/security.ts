import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { signIn } from "next-auth/react";
import type { Notice } from "@/app/sign-in/notice";
import { currentAddress, signInAddress } from "@/app/sign-in/return-address";
import type { AppRouter } from "@/server/console";

export type OwnSignIn = inferRouterOutputs<AppRouter>["security"]["get"];
export type OwnSession = inferRouterOutputs<AppRouter>["security"]["sessions"][number];
export type Proof = inferRouterInputs<AppRouter>["security"]["disableTotp"]["proof"];

/** A proof that is typed. */
export type Typed = Exclude<Proof, { session: true }>;

/**
 * Leaves for the sign-in page, which says why. It never answers: whatever waits for it would go on to ask in the name
 * of a session that is over, and lead there without the reason.
 */
export function leaveToSignIn(notice: Notice): Promise<never> {
  window.location.assign(signInAddress(currentAddress(), notice));
  return new Promise(() => {});
}

/** A new session in the place of the one that a change has ended; where that fails, the way to the sign-in page. */
export async function renewSession(
  user: { email: string; password: string },
  { otherwise }: { otherwise: Notice },
): Promise<void> {
  const answer = await signIn("credentials", { ...user, code: "", redirect: false }).catch(() => null);
  if (!answer?.ok) {
    await leaveToSignIn(otherwise);
  }
}
