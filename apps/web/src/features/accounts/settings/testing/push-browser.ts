import { vi } from "vitest";

/** Of the lengths that RFC 8291 gives them: 65 and 16 bytes. */
export const KEYS = { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) };

type Browser = {
  permission: NotificationPermission;
  /** The person's answer to the permission request. */
  answer: NotificationPermission;
  subscription: { endpoint: string; key: Uint8Array } | null;
  /** The browser's push service does not answer. */
  away: boolean;
  readonly asked: () => number;
  readonly registered: string[];
};

/** Replaces the push API, which happy-dom lacks. */
export function pushBrowser(
  start: Partial<Pick<Browser, "permission" | "answer" | "subscription" | "away">> = {},
): Browser {
  let asked = 0;
  const browser: Browser = {
    permission: "default",
    answer: "granted",
    subscription: null,
    away: false,
    ...start,
    asked: () => asked,
    registered: [],
  };
  const shown = () => {
    const { subscription } = browser;
    if (subscription === null) return null;
    return {
      endpoint: subscription.endpoint,
      options: { applicationServerKey: subscription.key.buffer },
      toJSON: () => ({ endpoint: subscription.endpoint, expirationTime: null, keys: KEYS }),
      unsubscribe: async () => {
        browser.subscription = null;
        return true;
      },
    };
  };
  const pushManager = {
    getSubscription: async () => shown(),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      if (browser.away) throw new DOMException("push service error", "AbortError");
      browser.subscription ??= { endpoint: "https://push.exemple.fr/1", key: applicationServerKey };
      return shown();
    },
  };
  const registration = { pushManager };
  vi.stubGlobal("PushManager", Object);
  vi.stubGlobal("Notification", {
    get permission() {
      return browser.permission;
    },
    requestPermission: async () => {
      asked += 1;
      if (browser.permission === "default") browser.permission = browser.answer;
      return browser.permission;
    },
  });
  Object.defineProperty(navigator, "serviceWorker", {
    configurable: true,
    value: {
      ready: Promise.resolve(registration),
      getRegistration: async () =>
        browser.registered.length > 0 || browser.subscription ? registration : undefined,
      register: async (url: string) => browser.registered.push(url),
    },
  });
  return browser;
}

/** Restores what `pushBrowser` replaced. */
export function withoutPush(): void {
  Reflect.deleteProperty(navigator, "serviceWorker");
  vi.unstubAllGlobals();
}
