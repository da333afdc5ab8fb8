/** The plain button and the link that looks like one. Disabled buttons say why, beside them or in `why`. */
import Link from "next/link";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./Button.module.css";

type Tone = "primary" | "plain" | "quiet";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: Tone;
  wide?: boolean;
  small?: boolean;
  busy?: boolean;
}

export function Button({ tone = "plain", wide, small, busy, className, ...rest }: ButtonProps) {
  return <button type="button" aria-busy={busy} className={classOf({ tone, wide, small, className })} {...rest} />;
}

export function ButtonLink(props: { href: string; tone?: Tone; wide?: boolean; small?: boolean; children: ReactNode }) {
  const { href, tone = "plain", wide, small, children } = props;
  return (
    <Link href={href} className={classOf({ tone, wide, small })}>
      {children}
    </Link>
  );
}

function classOf(options: { tone: Tone; wide?: boolean; small?: boolean; className?: string }): string {
  const { tone, wide, small, className } = options;
  return [styles.button, styles[tone], wide && styles.wide, small && styles.small, className].filter(Boolean).join(" ");
}
