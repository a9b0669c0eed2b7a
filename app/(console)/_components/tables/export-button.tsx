import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { useSignedIn } from "../shell/use-signed-in";

/** Saves a list as a file. `href`: a path of `/api/export`. */
export function ExportButton({ href }: { href: string }) {
  const t = useTranslations("common");
  const isSignedIn = useSignedIn();
  const save = async (link: HTMLAnchorElement) => {
    if (await isSignedIn()) {
      link.click();
    }
  };
  return (
    <Button
      component="a"
      href={href}
      download
      // A range counts back from now, and the server rendered earlier than the browser.
      suppressHydrationWarning
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={(event) => {
        // If the server refuses a download, the browser does not say why. So the session is checked first; the second
        // click is our own.
        if (event.isTrusted) {
          event.preventDefault();
          void save(event.currentTarget);
        }
      }}
    >
      {t("exportCsv")}
    </Button>
  );
}
