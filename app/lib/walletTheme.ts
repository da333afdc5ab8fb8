/** The wallet dialog in our colours: ink on paper, like every other surface. */
import { darkTheme, lightTheme } from "@rainbow-me/rainbowkit";

type Theme = ReturnType<typeof lightTheme>;

const shape = { borderRadius: "medium", fontStack: "system", overlayBlur: "none" } as const;
const light = withFont(lightTheme({ ...shape, accentColor: "#17181a", accentColorForeground: "#ffffff" }));
const dark = withFont(darkTheme({ ...shape, accentColor: "#eceeef", accentColorForeground: "#101214" }));

export function walletTheme(choice: "system" | "light" | "dark") {
  if (choice === "light") return light;
  return choice === "dark" ? dark : { lightMode: light, darkMode: dark };
}

function withFont(theme: Theme): Theme {
  return { ...theme, fonts: { body: "var(--text)" } };
}
