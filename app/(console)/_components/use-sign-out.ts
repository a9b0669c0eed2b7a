import { notifications } from "@mantine/notifications";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";

/** Ends the session, here and on the server. false: the server did not say that it has ended. */
async function endSession(): Promise<boolean> {
  const { getCsrfToken } = await import("next-auth/react");
  const csrfToken = await getCsrfToken();
  if (!csrfToken) {
    return false;
  }
  // next-auth's own `signOut` leaves for the next page whatever the status is.
  const body = new URLSearchParams({ csrfToken, callbackUrl: addresses.signIn(), json: "true" });
  const answer = await fetch("/api/auth/signout", { method: "POST", body }).catch(() => null);
  return answer?.ok === true;
}

/**
 * Signs out and leaves for the sign-in page; where that failed it stays and says so, for the session may be open
 * still.
 */
export function useSignOut(): () => Promise<void> {
  const t = useTranslations("shell");
  return async () => {
    if (await endSession()) {
      window.location.assign(addresses.signIn());
      return;
    }
    notifications.show({
      color: "red",
      title: t("signOutFailed"),
      message: t("signOutFailedText"),
      autoClose: 10_000,
      role: "alert",
    });
  };
}
