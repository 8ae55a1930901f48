import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";

const PRINT_POLL_MS = 200;
/** A long document is looked at page by page before its copy comes. */
const PRINT_PATIENCE_MS = 60_000;

/**
 * Opens a file in a new tab. The tab is opened at once, in the click itself, because a browser blocks one opened after an answer
 * has come; it is closed again when its address cannot be had.
 */
export async function openTab(addressOf: () => Promise<string>): Promise<Window> {
  const tab = window.open("about:blank", "_blank");
  if (!tab) throw new Error("the browser refused a new tab");
  try {
    tab.location.replace(new URL(await addressOf(), location.origin).href);
    return tab;
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Opens an envelope's file in a new tab. */
export const openFileTab = (envelopeId: string): Promise<Window> =>
  openTab(async () => (await envelopeCalls.download(envelopeId)).download_url);

/** Opens an envelope's file in a new tab and prints it once it is there. */
async function printFile(envelopeId: string): Promise<void> {
  printWhenShown(await openFileTab(envelopeId));
}

/** Prints what a tab shows, once it shows it. */
export function printWhenShown(tab: Window): void {
  const until = Date.now() + PRINT_PATIENCE_MS;
  const timer = setInterval(() => {
    const loaded =
      !tab.closed && tab.location.href !== "about:blank" && tab.document.readyState === "complete";
    if (loaded) tab.print();
    if (loaded || tab.closed || Date.now() > until) clearInterval(timer);
  }, PRINT_POLL_MS);
}

/** Prints an envelope's file from a new tab. */
export function usePrint() {
  return useMutation({
    mutationFn: printFile,
    onSuccess: () => {
      showToast("ok", "Ouverture de l'impression");
    },
    onError: (error) => {
      showToast("err", "Échec de l'impression", { detail: serverSentence(error) });
    },
  });
}
