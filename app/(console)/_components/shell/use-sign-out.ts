import { notifications } from "@mantine/notifications";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";

/** Ends the session, in the browser and on the server. false: the server did not confirm it. */
async function endSession(): Promise<boolean> {
  const { getCsrfToken } = await import("next-auth/react");
  const csrfToken = await getCsrfToken();
  if (!csrfToken) {
    return false;
  }
  // next-auth's own `signOut` opens the next page whatever the status is.
  const body = new URLSearchParams({ csrfToken, callbackUrl: addresses.signIn(), json: "true" });
  const answer = await fetch("/api/auth/signout", { method: "POST", body }).catch(() => null);
  return answer?.ok === true;
}

/** Signs out and opens the sign-in page; on failure stays and says so, because the session may still be open. */
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
