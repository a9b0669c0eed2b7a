import Link from "next/link";

export default function NotFound() {
  return (
    <main className="narrow">
      <h1>
        没有这个页面 <small lang="en">There is no such page</small>
      </h1>
      <p>
        <Link href="/">回到概览 · To the overview</Link>
      </p>
    </main>
  );
}
