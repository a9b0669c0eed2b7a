/** Fields that search while one types. They come after the page around them, which is of use without. */
import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";
import { piece } from "./piece";

const loading = () => <Skeleton height={58} />;

export const AccountSelect = dynamic(
  piece(() => import("./account-select").then((module) => module.AccountSelect)),
  {
    ssr: false,
    loading,
  },
);

export const KeySelect = dynamic(
  piece(() => import("./key-select").then((module) => module.KeySelect)),
  {
    ssr: false,
    loading,
  },
);
