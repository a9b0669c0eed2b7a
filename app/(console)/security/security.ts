import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { signIn } from "next-auth/react";
import type { Notice } from "@/app/sign-in/notice";
import { currentAddress, signInAddress } from "@/app/sign-in/return-address";
import type { AppRouter } from "@/server/console";

export type OwnSignIn = inferRouterOutputs<AppRouter>["security"]["get"];
export type OwnSession = inferRouterOutputs<AppRouter>["security"]["sessions"][number];
export type Proof = inferRouterInputs<AppRouter>["security"]["disableTotp"]["proof"];

/** A proof that the user types. */
export type Typed = Exclude<Proof, { session: true }>;

/**
 * Opens the sign-in page, which says why. The promise never resolves: a caller would otherwise make calls with the
 * ended session and be sent to the sign-in page without the reason.
 */
export function leaveToSignIn(notice: Notice): Promise<never> {
  window.location.assign(signInAddress(currentAddress(), notice));
  return new Promise(() => {});
}

/** Starts a new session after a change has ended the old one; if that fails, opens the sign-in page. */
export async function renewSession(
  user: { email: string; password: string },
  { otherwise }: { otherwise: Notice },
): Promise<void> {
  const answer = await signIn("credentials", { ...user, code: "", redirect: false }).catch(() => null);
  if (!answer?.ok) {
    await leaveToSignIn(otherwise);
  }
}
