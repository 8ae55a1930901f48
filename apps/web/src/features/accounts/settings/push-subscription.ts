/** The browser's side of Web Push: what it can do, what it was allowed, whether it is subscribed. */
export type PushState = "unsupported" | "denied" | "off" | "on";

const WORKER = "/sw.js";
/** The development server gives the worker in modules, the build in one classic script. */
const WORKER_OPTIONS: RegistrationOptions = { scope: "/", updateViaCache: "none", type: import.meta.env.DEV ? "module" : "classic" };

/** Gives where this browser stands. Nothing is asked of the person. */
export async function readPushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "denied";
  return (await currentSubscription()) && Notification.permission === "granted" ? "on" : "off";
}

/** Gives the subscription this browser has, if any. */
export async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Asks the person, then subscribes this browser. Must be called from a press: browsers ignore the question otherwise.
 * Gives null when the person did not allow it; throws when the browser's push service does not answer.
 */
export async function subscribe(publicKey: () => Promise<string>): Promise<PushSubscriptionJSON | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const key = bytesOf(await publicKey());
  await navigator.serviceWorker.register(WORKER, WORKER_OPTIONS);
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  // Made for another key (the service was set up anew): the push service would refuse our messages.
  if (former && !sameBytes(former.options.applicationServerKey, key)) await former.unsubscribe();
  return (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
}

/** Ends the subscription of this browser; gives the address it had. */
export async function unsubscribe(): Promise<string | null> {
  const subscription = await currentSubscription();
  if (!subscription) return null;
  await subscription.unsubscribe();
  return subscription.endpoint;
}

/** Reads base64url without padding (RFC 7515 §2). */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function sameBytes(buffer: ArrayBuffer | null, bytes: Uint8Array): boolean {
  const others = buffer ? new Uint8Array(buffer) : new Uint8Array();
  return others.length === bytes.length && others.every((byte, index) => byte === bytes[index]);
}
