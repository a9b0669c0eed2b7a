"use client";

import { signOut } from "next-auth/react";

export function TopBar({ email }: { email: string }) {
  return (
    <header className="top-bar">
      <span className="brand">Tollgate</span>
      <span className="who">{email}</span>
      <button type="button" onClick={() => void signOut({ callbackUrl: "/sign-in" })}>
        退出 <span lang="en">Sign out</span>
      </button>
    </header>
  );
}
