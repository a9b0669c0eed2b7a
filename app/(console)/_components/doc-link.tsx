"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";

/** To a page of the documentation, which few follow: it is not fetched ahead. */
export function DocLink({ page }: { page: string }) {
  const t = useTranslations("common");
  return (
    <Anchor component={Link} href={addresses.doc(page)} prefetch={false} fz="sm">
      {t("readDocs")}
    </Anchor>
  );
}
