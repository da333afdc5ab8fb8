"use client";
/** Light, dark or the system's choice; kept in a cookie so that the server paints the right one. */
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";

export type ThemeChoice = "system" | "light" | "dark";

interface Theme {
  choice: ThemeChoice;
  toggle: () => void;
}

const ThemeContext = createContext<Theme>({ choice: "system", toggle: () => undefined });

export function ThemeProvider({ initial, children }: { initial: ThemeChoice; children: ReactNode }) {
  const [choice, setChoice] = useState(initial);
  const toggle = useCallback(() => {
    setChoice((current) => {
      const dark =
        current === "dark" || (current === "system" && window.matchMedia("(prefers-color-scheme: dark)").matches);
      const next = dark ? "light" : "dark";
      document.documentElement.dataset.theme = next;
      document.cookie = `theme=${next}; path=/; max-age=31536000; samesite=lax`;
      return next;
    });
  }, []);
  const value = useMemo(() => ({ choice, toggle }), [choice, toggle]);
  return <ThemeContext.Provider value={value}>{children}</ThemeContext.Provider>;
}

export function useTheme(): Theme {
  return useContext(ThemeContext);
}
