import { envelopeCalls } from "./envelope-calls.ts";

const PRINT_POLL_MS = 200;
const PRINT_PATIENCE_MS = 20_000;

/**
 * Opens an envelope's file in a new tab. The tab is opened at once, in the click itself, because a browser blocks one opened after an answer
 * has come; it is closed again when the call fails.
 */
export async function openFileTab(envelopeId: string): Promise<Window> {
  const tab = window.open("about:blank", "_blank");
  if (!tab) throw new Error("the browser refused a new tab");
  try {
    const { download_url } = await envelopeCalls.download(envelopeId);
    tab.location.replace(new URL(download_url, location.origin).href);
    return tab;
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Opens an envelope's file in a new tab and prints it once it is there. */
export async function printFile(envelopeId: string): Promise<void> {
  const tab = await openFileTab(envelopeId);
  const until = Date.now() + PRINT_PATIENCE_MS;
  const timer = setInterval(() => {
    const loaded = !tab.closed && tab.location.href !== "about:blank" && tab.document.readyState === "complete";
    if (loaded) tab.print();
    if (loaded || tab.closed || Date.now() > until) clearInterval(timer);
  }, PRINT_POLL_MS);
}
