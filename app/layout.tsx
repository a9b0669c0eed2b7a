import type { Metadata, Viewport } from "next";
import { connection } from "next/server";
import type { ReactNode } from "react";
import "./console.css";

export const metadata: Metadata = { title: { default: "Tollgate", template: "%s · Tollgate" } };

export const viewport: Viewport = { colorScheme: "light dark" };

export default async function Layout({ children }: { children: ReactNode }) {
  // No page is built ahead: its scripts would lack the nonce of proxy.ts.
  await connection();
  return (
    <html lang="zh-CN">
      <body>{children}</body>
    </html>
  );
}
