import { IconBook, IconLogout, IconShieldLock, IconUserCircle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { ActionMenu } from "../fields/action-menu";
import type { Viewer } from "./navigation";
import { useSignOut } from "./use-sign-out";

export function UserMenu({ email, role }: Pick<Viewer, "email" | "role">) {
  const t = useTranslations("shell");
  const users = useTranslations("users");
  const signOut = useSignOut();
  return (
    <ActionMenu
      label={t("userMenu", { email })}
      size="lg"
      icon={<IconUserCircle size={22} aria-hidden />}
      note={`${email} · ${users(`role_${role}`)}`}
      entries={[
        { label: t("security"), href: addresses.security(), icon: IconShieldLock },
        { label: t("docs"), href: addresses.docs(), icon: IconBook },
        { label: t("signOut"), icon: IconLogout, onChoose: () => void signOut() },
      ]}
    />
  );
}
