import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../lib/api/api-error.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";

const PRINT_POLL_MS = 200;
/** The service renders a long document page by page before its copy comes. */
const PRINT_PATIENCE_MS = 60_000;

/** The tab opens in the click: a browser blocks one opened after an answer. */
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

export const openFileTab = (envelopeId: string): Promise<Window> =>
  openTab(async () => (await envelopeCalls.download(envelopeId)).download_url);

async function printFile(envelopeId: string): Promise<void> {
  printWhenShown(await openFileTab(envelopeId));
}

export function printWhenShown(tab: Window): void {
  const until = Date.now() + PRINT_PATIENCE_MS;
  const timer = setInterval(() => {
    const loaded =
      !tab.closed && tab.location.href !== "about:blank" && tab.document.readyState === "complete";
    if (loaded) tab.print();
    if (loaded || tab.closed || Date.now() > until) clearInterval(timer);
  }, PRINT_POLL_MS);
}

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
