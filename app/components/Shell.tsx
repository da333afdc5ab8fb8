"use client";
/** Header, banners and the column that pages sit in. */
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef, type ReactNode } from "react";
import { places } from "../lib/places.ts";
import { AccountButton } from "./AccountButton.tsx";
import { Finder } from "./Finder.tsx";
import { IndexBanner } from "./IndexBanner.tsx";
import styles from "./Shell.module.css";
import { ThemeToggle } from "./ThemeToggle.tsx";

export function Shell({ children }: { children: ReactNode }) {
  const path = usePathname();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the navigation is wider than the screen; the current place is brought into view.
    const here = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (here !== null && here !== undefined && nav.current !== null) {
      nav.current.scrollLeft = here.offsetLeft - nav.current.offsetLeft - 16;
    }
  }, [path]);
  const isHere = (href: string): boolean => (href === "/" ? path === "/" : path.startsWith(href));
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.header}>
        <div className={styles.bar}>
          <Link href="/" className={styles.brand} aria-label="NGPU, overview">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M5 19V5l14 14V5" />
            </svg>
            NGPU
          </Link>
          <nav ref={nav} className={styles.nav} aria-label="Main">
            {places.map(({ href, title }) => (
              <Link key={href} href={href} aria-current={isHere(href) ? "page" : undefined}>
                {title}
              </Link>
            ))}
          </nav>
          <div className={styles.tools}>
            <Finder />
            <ThemeToggle />
            <AccountButton />
          </div>
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <IndexBanner />
        {children}
      </main>
    </>
  );
}
