import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { findViewer } from "@/server/console";
import { SignInForm } from "../_components/sign-in-form";

export const metadata: Metadata = { title: "登录 Sign in" };

export default async function SignInPage() {
  if (await findViewer()) {
    redirect("/");
  }
  return (
    <main className="narrow">
      <p className="brand">Tollgate</p>
      <section className="card">
        <h1>
          登录 <small lang="en">Sign in</small>
        </h1>
        <SignInForm />
      </section>
    </main>
  );
}
