"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";

/** A link to a page of the documentation. Few readers follow it, so it is not prefetched. */
export function DocLink({ page }: { page: string }) {
  const t = useTranslations("common");
  return (
    <Anchor component={Link} href={addresses.doc(page)} prefetch={false} fz="sm">
      {t("readDocs")}
    </Anchor>
  );
}
