/** The first that matches names the browser: those built on Chrome or Safari say so too, further on. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];
/** iPads and Android devices say « Macintosh » or « Linux » too: they come first. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "sur iPhone"],
  [/\biPad\b/, "sur iPad"],
  [/\bAndroid\b/, "sous Android"],
  [/\bWindows\b/, "sous Windows"],
  [/\bCrOS\b/, "sous ChromeOS"],
  [/\b(?:Macintosh|Mac OS X)\b/, "sous macOS"],
  [/\bLinux\b/, "sous Linux"],
];

/** Gives a device's short French name from what its browser says of itself: « Firefox sous Windows ». Nothing of the text itself is repeated. */
export function deviceName(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "Navigateur inconnu";
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} ${system}`;
}
